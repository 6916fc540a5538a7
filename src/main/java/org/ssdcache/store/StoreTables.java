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

    /** Names the state of the tables. */
    private volatile long checkpointSequence;

    @GuardedBy("this")
    private final FileEntryTable fileTable;

    @GuardedBy("this")
    private final JournalReader reader;

    @GuardedBy("this")
    private Superblock superblock;

    private StoreTables(
            StoreDisk disk,
            String bootId,
            FileEntryTable fileTable,
            SlotTable slotTable,
            Replay.Result replay) {
        this.disk = disk;
        this.bootId = bootId;
        this.fileTable = fileTable;
        this.slotTable = slotTable;
        this.superblock = replay.superblock();
        this.intentsAtOpen = replay.intents();
        this.geometry = superblock.geometry();
        this.reader = new JournalReader(disk, geometry, superblock.identity().storeId());
    }

    /** Brings the tables up to date with what a crash left in the journal. */
    static StoreTables open(StoreDisk disk, Superblock found, String bootId) throws IOException {
        FileEntryTable fileTable = new FileEntryTable(disk, found.geometry());
        SlotTable slotTable = new SlotTable(disk, found.geometry());
        Replay.Result replay = Replay.run(disk, found, fileTable, slotTable, bootId);
        StoreTables tables = new StoreTables(disk, bootId, fileTable, slotTable, replay);
        // Nothing was replayed into the tables of a clean store: they are in the state they had.
        tables.checkpointSequence =
                found.clean()
                        ? found.checkpointSequence()
                        : replay.superblock().checkpointSequence();
        return tables;
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

    synchronized void load(MappingSink sink) throws IOException {
        slotTable.load(fileTable.load(superblock.filesUsed(), sink), sink);
    }

    void readChecksums(int slot, int[] target) throws IOException {
        slotTable.readChecksums(slot, target);
    }

    /**
     * Folds the journal's blocks before a cut, all of which are durable.
     *
     * @return whether there were any; then their places are free
     */
    synchronized boolean fold(long cut) throws IOException {
        long tail = superblock.tailBlock();
        if (cut <= tail) {
            return false;
        }
        Fold fold =
                new Fold(fileTable, slotTable, geometry, superblock.filesUsed(), Long.MAX_VALUE);
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
                superblock.next(cut, end.nextSequence(), fold.filesUsed(), false, bootId));
        checkpointSequence = end.nextSequence();
        return true;
    }

    /** Nothing is in the journal that is not in the tables. */
    synchronized void markClean() throws IOException {
        replaceSuperblock(
                superblock.next(
                        superblock.tailBlock(),
                        checkpointSequence,
                        superblock.filesUsed(),
                        true,
                        bootId));
    }

    @GuardedBy("this")
    private void replaceSuperblock(Superblock next) throws IOException {
        SuperblockPair.write(disk, next);
        superblock = next;
    }
}
