package org.ssdcache.store;

import java.io.IOException;

/**
 * What happens to a store when it is opened: the journal is folded into the tables, and the store
 * is marked as not clean, of this boot, with a journal that is empty.
 *
 * <p>Which records count: the journal up to its first block that is not whole. What becomes of a
 * MAP or MOVE record whose slot data is not known to have been durable is told in {@link Proof} and
 * {@link UnprovenSlots}.
 *
 * <p>Nothing of the old journal is overwritten before the new superblock is durable, and the new
 * journal has block numbers that no old block can have: so this may be cut short anywhere and done
 * again.
 */
final class Replay {
    /** Sequences of one time the store is open; the bits above count the times. */
    private static final int EPOCH_BITS = 40;

    private Replay() {}

    /**
     * @param superblock as it is on the disk now
     * @param intents regions that may have been written on the backing shortly before the crash
     */
    record Result(Superblock superblock, Intents intents) {}

    static Result run(
            StoreDisk disk,
            Superblock found,
            FileEntryTable fileTable,
            SlotTable slotTable,
            PendingTable pendingTable,
            String bootId)
            throws IOException {
        StoreGeometry geometry = found.geometry();
        JournalReader reader = new JournalReader(disk, geometry, found.identity().storeId());
        JournalReader.End end =
                reader.read(found.tailBlock(), Long.MAX_VALUE, (sequence, record) -> {});
        long durable = Math.max(end.durableSequence(), found.checkpointSequence() - 1);
        boolean sameBoot = !bootId.isEmpty() && bootId.equals(found.bootId());
        Fold fold =
                new Fold(
                        fileTable,
                        slotTable,
                        pendingTable,
                        geometry,
                        found.filesUsed(),
                        new Proof(durable, sameBoot));
        if (end.endBlock() > found.tailBlock()) {
            // After a kill the slots' data may be in the kernel only; the tables must not be first.
            disk.syncData();
            reader.read(found.tailBlock(), end.endBlock(), fold);
            fold.writeAfterCrash();
            disk.syncData();
        }
        Superblock opened =
                found.next(
                        found.tailBlock() + geometry.journalBlocks(),
                        nextEpoch(Math.max(found.checkpointSequence(), end.nextSequence())),
                        fold.filesUsed(),
                        pendingTable.end(),
                        false,
                        bootId);
        SuperblockPair.write(disk, opened);
        return new Result(opened, fold.intents());
    }

    /**
     * A sequence above all that were ever given, also to records that a crash has lost: two times
     * the store was open never share one, so a sequence says which state an index was made from.
     */
    private static long nextEpoch(long sequence) {
        return ((sequence >>> EPOCH_BITS) + 1) << EPOCH_BITS;
    }
}
