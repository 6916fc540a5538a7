package org.ssdcache.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import org.ssdcache.block.MappingSink;
import org.ssdcache.store.StoreException.Reason;

/**
 * What the store holds as of the last checkpoint: file table, slot table and the superblock that
 * says where the journal goes on from there. Changed only by folding the journal.
 */
final class StoreTables {
    // Constant after construction.
    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final String bootId;
    private final SlotTable slotTable;
    private final Intents intentsAtOpen;
    private final boolean supportsWriteback;

    /** Slots below it were written once, which the superblock may not say yet. */
    private volatile int preparedSlots;

    /** Names the state of the tables. */
    private volatile long checkpointSequence;

    @GuardedBy("this")
    private final FileEntryTable fileTable;

    @GuardedBy("this")
    private final PendingTable pendingTable;

    @GuardedBy("this")
    private final JournalReader reader;

    @GuardedBy("this")
    private Superblock superblock;

    private StoreTables(
            StoreDisk disk,
            String bootId,
            FileEntryTable fileTable,
            SlotTable slotTable,
            PendingTable pendingTable,
            Replay.Result replay) {
        this.disk = disk;
        this.bootId = bootId;
        this.fileTable = fileTable;
        this.slotTable = slotTable;
        this.pendingTable = pendingTable;
        this.superblock = replay.superblock();
        this.intentsAtOpen = replay.intents();
        this.supportsWriteback = superblock.writeback();
        this.preparedSlots = superblock.preparedSlots();
        this.geometry = superblock.geometry();
        this.reader = new JournalReader(disk, geometry, superblock.identity().storeId());
    }

    /** Brings the tables up to date with what a crash left in the journal. */
    static StoreTables open(StoreDisk disk, Superblock asFound, String bootId) throws IOException {
        Superblock found = StoreFormat.upgrade(disk, asFound);
        FileEntryTable fileTable = new FileEntryTable(disk, found.geometry());
        SlotTable slotTable = new SlotTable(disk, found.geometry());
        PendingTable pendingTable = new PendingTable(disk, found.geometry());
        pendingTable.scan(found.pendingEnd());
        Replay.Result replay = Replay.run(disk, found, fileTable, slotTable, pendingTable, bootId);
        StoreTables tables =
                new StoreTables(disk, bootId, fileTable, slotTable, pendingTable, replay);
        // Nothing was replayed into the tables of a clean store: they are in the state they had.
        tables.checkpointSequence =
                found.clean()
                        ? found.checkpointSequence()
                        : replay.superblock().checkpointSequence();
        return tables;
    }

    synchronized Superblock superblock() {
        return superblock;
    }

    long checkpointSequence() {
        return checkpointSequence;
    }

    /** The sequence of the first record that is not folded. */
    synchronized long nextSequence() {
        return superblock.checkpointSequence();
    }

    /** The journal block that is folded next. */
    synchronized long tailBlock() {
        return superblock.tailBlock();
    }

    /** The write intents that the journal held when the tables were opened. */
    Intents intentsAtOpen() {
        return intentsAtOpen;
    }

    boolean supportsWriteback() {
        return supportsWriteback;
    }

    int preparedSlots() {
        return preparedSlots;
    }

    void setPreparedSlots(int slots) {
        preparedSlots = slots;
    }

    synchronized void load(MappingSink sink) throws IOException {
        long[] createdSequences = fileTable.load(superblock.filesUsed(), sink);
        pendingTable.load(createdSequences, sink);
        slotTable.load(createdSequences, sink);
    }

    synchronized void loadPending(MappingSink sink) throws IOException {
        if (pendingTable.end() > 0) {
            pendingTable.load(fileTable.load(superblock.filesUsed(), null), sink);
        }
    }

    void readChecksums(int slot, int[] target) throws IOException {
        slotTable.readChecksums(slot, target);
    }

    /**
     * Folds the journal's blocks before a cut, all of which are durable.
     *
     * @param prepared slots below it were written once, durably
     * @return whether there were any; then their places are free
     */
    synchronized boolean fold(long cut, int prepared) throws IOException {
        long tail = superblock.tailBlock();
        if (cut <= tail) {
            notePrepared(prepared);
            return false;
        }
        Fold fold =
                new Fold(
                        fileTable,
                        slotTable,
                        pendingTable,
                        geometry,
                        superblock.filesUsed(),
                        Proof.ALL);
        JournalReader.End end = reader.read(tail, cut, fold);
        if (end.endBlock() != cut) {
            StoreException damage =
                    new StoreException(
                            Reason.DAMAGED, "journal block " + end.endBlock() + " is lost");
            disk.fail(damage);
            throw damage;
        }
        fold.write();
        disk.syncData();
        replaceSuperblock(
                superblock
                        .withPreparedSlots(prepared)
                        .next(
                                cut,
                                end.nextSequence(),
                                fold.filesUsed(),
                                pendingTable.end(),
                                false,
                                bootId));
        checkpointSequence = end.nextSequence();
        return true;
    }

    @GuardedBy("this")
    private void notePrepared(int prepared) throws IOException {
        if (prepared != superblock.preparedSlots()) {
            replaceSuperblock(
                    superblock
                            .withPreparedSlots(prepared)
                            .next(
                                    superblock.tailBlock(),
                                    superblock.checkpointSequence(),
                                    superblock.filesUsed(),
                                    superblock.pendingEnd(),
                                    false,
                                    bootId));
        }
    }

    /** Nothing is in the journal that is not in the tables. */
    synchronized void markClean() throws IOException {
        replaceSuperblock(
                superblock.next(
                        superblock.tailBlock(),
                        checkpointSequence,
                        superblock.filesUsed(),
                        superblock.pendingEnd(),
                        true,
                        bootId));
    }

    @GuardedBy("this")
    private void replaceSuperblock(Superblock next) throws IOException {
        SuperblockPair.write(disk, next);
        superblock = next;
    }
}
