package org.ssdcache.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.ssdcache.io.BlockFile;
import org.ssdcache.store.StoreFinding.Area;

/**
 * Looks through a store that nobody has open, and mends what can be derived from the rest of it.
 *
 * <p>A check looks at what a mount would find: the journal is folded into the tables first, in
 * memory. Whether a damaged slot entry was of dirty data is told by its own mask of dirty pages,
 * which may be what is damaged.
 */
public final class StoreCheck {
    private final BlockFile file;
    private final String bootId;
    private final boolean cleanData;
    private final LongConsumer progressSlots;

    /**
     * @param file the store; it stays open
     * @param bootId names this boot of the machine; empty if unknown
     * @param cleanData whether pages that the backing has too are compared with their checksums
     * @param progressSlots told how many slots were looked at
     */
    public StoreCheck(
            BlockFile file, String bootId, boolean cleanData, LongConsumer progressSlots) {
        this.file = file;
        this.bootId = bootId;
        this.cleanData = cleanData;
        this.progressSlots = progressSlots;
    }

    /**
     * Looks at everything and changes nothing.
     *
     * @throws IOException if superblocks, journal or tables cannot be read
     */
    public StoreReport check() throws IOException {
        Findings findings = new Findings();
        StoreDisk disk = new StoreDisk(new OverlayBlockFile(file));
        Superblock found = new SuperblockCheck(disk, findings).run();
        if (found == null) {
            return unreadable(findings);
        }
        long records;
        StoreTables tables;
        try {
            records = new JournalCheck(disk, found, findings).run();
            tables = StoreTables.open(disk, found, bootId);
        } catch (StoreException e) {
            findings.add(
                    Area.JOURNAL, "its records", "they cannot be used: " + e.getMessage(), true);
            return unreadable(findings);
        }
        return look(disk, tables.superblock(), found.clean(), records, findings);
    }

    private static StoreReport unreadable(Findings findings) {
        return new StoreReport(false, false, 0, 0, 0, 0, 0, 0, findings.list());
    }

    private StoreReport look(
            StoreDisk disk, Superblock superblock, boolean clean, long records, Findings findings)
            throws IOException {
        FileTableCheck files = new FileTableCheck(disk, superblock, findings);
        files.scan();
        PendingTableCheck pending = new PendingTableCheck(disk, superblock, findings);
        pending.scan(files);
        DirtyPages dirty = new DirtyPages(superblock.geometry().blockBytes());
        SlotTableCheck slots =
                new SlotTableCheck(
                        disk,
                        superblock.geometry(),
                        files,
                        dirty,
                        findings,
                        cleanData,
                        progressSlots);
        slots.run();
        files.report(dirty.files());
        pending.report(files, dirty);
        return new StoreReport(
                true,
                clean,
                records,
                files.files(),
                slots.slots(),
                dirty.slots(),
                dirty.pages(),
                pending.pendingFiles(),
                findings.list());
    }

    /**
     * Mends what a check calls repairable. The store is opened for that, as by a mount, and is not
     * clean afterwards, so that no index made from it before is believed. Write intents that it
     * held are in its journal again.
     *
     * @return what was found before; what is not repairable is as it was
     * @throws IOException if the store cannot be read or written; it can be repaired again then
     */
    public StoreReport repair() throws IOException {
        StoreReport before = check();
        if (!before.readable()) {
            return before;
        }
        StoreDisk disk = new StoreDisk(file);
        Findings superblocks = new Findings();
        Superblock found = new SuperblockCheck(disk, superblocks).run();
        superblocks.applyPatches(disk);
        StoreTables tables = StoreTables.open(disk, found, bootId);
        recordIntents(disk, tables);
        Findings findings = new Findings();
        StoreReport unused = look(disk, tables.superblock(), found.clean(), 0, findings);
        findings.applyPatches(disk);
        return before;
    }

    /** The next open must know them as this one does. */
    private static void recordIntents(StoreDisk disk, StoreTables tables) throws IOException {
        Superblock superblock = tables.superblock();
        StoreGeometry geometry = superblock.geometry();
        long sequence = tables.nextSequence();
        JournalBuffer buffer =
                new JournalBuffer(
                        disk,
                        new ChangeGate(),
                        geometry.journalBlocks(),
                        tables.tailBlock(),
                        sequence,
                        0);
        // They were in the journal before, and may fill it again.
        long unused = buffer.cut();
        Set<Integer> unsettled = tables.intentsAtOpen().unsettledFiles();
        List<int[]> intents = new ArrayList<>();
        tables.intentsAtOpen().forEach((number, region) -> intents.add(new int[] {number, region}));
        for (int[] intent : intents) {
            boolean settled = !unsettled.contains(intent[0]);
            int type = settled ? JournalRecord.KEPT_INTENT : JournalRecord.INTENT;
            boolean unusedHint = buffer.intent(type, intent[0], intent[1]);
        }
        long end =
                new JournalWriter(
                                disk,
                                geometry,
                                superblock.identity().storeId(),
                                buffer,
                                sequence - 1)
                        .write();
        assert end == sequence + intents.size();
        disk.syncData();
    }
}
