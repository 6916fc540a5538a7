package org.ssdcache.cache;

import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.store.BlockStore;

/**
 * The one place where a slot changes its state: index, journal, eviction policy and index image are
 * told together and in this order.
 *
 * <pre>
 *  FREE     --take-->          FILLING   the caller writes the block's bytes
 *  FILLING  --publish-->       CLEAN     readers find it
 *  FILLING  --publishDirty-->  DIRTY     readers find it, and the backing lacks it
 *  FILLING  --giveBack-->      FREE      the block was not wanted after all
 *  FILLING  --move-->          DIRTY     it takes the place of a durable dirty slot,
 *  DIRTY    --move-->          RETIRED   which is this one
 *  CLEAN    --change-->        CLEAN     other pages, or other bytes in them
 *  CLEAN    --changeDirty-->   DIRTY     written in place
 *  DIRTY    --changeDirty-->   DIRTY     written in place, while no sync has its record
 *  DIRTY    --change-->        DIRTY     clean pages were added
 *  DIRTY    --clean-->         CLEAN     the backing has it, durably
 *  CLEAN    --drop-->          RETIRED   no reader finds it
 *  DIRTY    --drop-->          RETIRED   the same, because its bytes are over (truncate, unlink)
 *  any      --sweep-->         RETIRED   the same, for a file that is gone as a whole
 *  RETIRED  --release-->       FREE      its removal is durable
 * </pre>
 *
 * <p>A slot waits in RETIRED until the journal is synced, so that after a power cut no durable
 * record says that it still holds the old block (I2). A dirty slot is never dropped to make room
 * (I4). Whoever changes a slot's state holds the block's lock.
 */
final class BlockMap {
    /** A slot that becomes free once this record is durable. */
    private record Retired(int slot, long sequence) {}

    private final BlockIndex index;
    private final BlockStore store;
    private final EvictionPolicy policy;
    private final IndexImage image;
    private final CacheHealth health;
    private final DirtySlots dirty;

    /** How many free slots nobody gets. */
    private volatile int sparesKept;

    private final ConcurrentLinkedQueue<Retired> retired = new ConcurrentLinkedQueue<>();

    BlockMap(
            BlockIndex index,
            BlockStore store,
            EvictionPolicy policy,
            IndexImage image,
            CacheHealth health,
            DirtySlots dirty) {
        this.index = index;
        this.store = store;
        this.policy = policy;
        this.image = image;
        this.health = health;
        this.dirty = dirty;
    }

    /** A slot to fill, or {@link BlockIndex#NONE} when the evictor is behind. */
    int take() {
        return index.takeFree(sparesKept);
    }

    /**
     * From here on one slot stays free. A mount after a crash may have to put the end of a dirty
     * file right before anything can go home, and needs a slot for that.
     */
    void keepSpare() {
        sparesKept = 1;
    }

    /** Gives up a clean block, if there is one, to have a free slot; for a mount after a crash. */
    void dropOneClean() {
        for (int slot = 0; slot < index.slotCount(); slot++) {
            if (index.isMapped(slot) && index.dirtyPages(slot) == 0) {
                drop(index.fileOf(slot), index.blockOf(slot), slot);
                return;
            }
        }
    }

    void giveBack(int slot) {
        index.release(slot);
    }

    /**
     * The filled slot becomes the block's.
     *
     * @param checksums by page, for every valid page
     * @return false when the block is mapped already; the slot is the caller's still
     */
    boolean publish(int file, int block, int slot, int validPages, int[] checksums) {
        policy.inserted(slot);
        if (!index.insert(file, block, slot, validPages, 0)) {
            return false;
        }
        append(mapped(file, block, slot, validPages, checksums));
        image.changed(file, block);
        return true;
    }

    /** The same with pages that the backing does not have; the block must not be mapped. */
    void publishDirty(int file, int block, int slot, int pages, int[] checksums)
            throws IOException {
        policy.inserted(slot);
        if (!index.insert(file, block, slot, pages, pages)) {
            throw new IllegalStateException("block " + block + " is mapped already");
        }
        dirty.add(file, slot);
        image.changed(file, block);
        record(mapped(file, block, slot, pages, checksums));
    }

    /** Clean pages of a mapped slot were written; what is dirty stays dirty. */
    void change(int file, int block, int slot, int validPages, int changedPages, int[] checksums) {
        index.setPages(slot, validPages, index.dirtyPages(slot) & validPages);
        append(mapped(file, block, slot, changedPages, checksums));
        image.changed(file, block);
    }

    /** Pages of a mapped slot, clean ones or such of no sync, were written and are dirty. */
    void changeDirty(int file, int block, int slot, int changedPages, int[] checksums)
            throws IOException {
        index.setPages(
                slot, index.validPages(slot) | changedPages, index.dirtyPages(slot) | changedPages);
        dirty.add(file, slot);
        image.changed(file, block);
        record(mapped(file, block, slot, changedPages, checksums));
    }

    /**
     * A dirty block was written to a new slot, all its valid pages with it.
     *
     * @param checksums by page, for every valid page
     */
    void move(
            int file,
            int block,
            int oldSlot,
            int newSlot,
            int validPages,
            int dirtyPages,
            int[] checksums)
            throws IOException {
        policy.inserted(newSlot);
        index.replace(file, block, oldSlot, newSlot, validPages, dirtyPages);
        dirty.move(file, oldSlot, newSlot);
        image.changed(file, block);
        record(
                () ->
                        store.slotMoved(
                                oldSlot, newSlot, file, block, validPages, dirtyPages, checksums));
        retire(oldSlot);
    }

    /** The backing has the block's dirty pages, durably. */
    void clean(int file, int block, int slot) throws IOException {
        index.setPages(slot, index.validPages(slot), 0);
        dirty.remove(file, slot);
        image.changed(file, block);
        record(mapped(file, block, slot, 0, new int[0]));
    }

    /** What the block held a moment ago is home; what it holds now is dirty since a moment ago. */
    void cleanedOnce(int slot) {
        dirty.renew(slot);
    }

    /** The block is not cached any more; the slot becomes free with the next sync. */
    void drop(int file, int block, int slot) {
        if (index.remove(file, block, slot)) {
            dirty.remove(file, slot);
            append(() -> store.slotFreed(slot));
            image.changed(file, block);
            retire(slot);
        }
    }

    /** Keeps only some pages of a block. */
    void keepOnly(int file, int block, int slot, int pages) {
        int kept = index.validPages(slot) & pages;
        if (kept == 0) {
            drop(file, block, slot);
        } else if (kept != index.validPages(slot)) {
            change(file, block, slot, kept, 0, new int[0]);
            if (index.dirtyPages(slot) == 0) {
                dirty.remove(file, slot);
            }
        }
    }

    /** The block's file is gone; its drop is in the journal already. */
    void sweep(int file, int block, int slot) {
        if (index.remove(file, block, slot)) {
            dirty.remove(file, slot);
            image.changed(file, block);
            retire(slot);
        }
    }

    private void retire(int slot) {
        retired.add(new Retired(slot, store.lastSequence()));
    }

    boolean hasRetired() {
        return !retired.isEmpty();
    }

    /**
     * Makes the removals so far durable and their slots free.
     *
     * @throws IOException if the journal cannot be synced; the slots stay retired
     */
    void releaseRetired() throws IOException {
        store.sync();
        releaseDurable();
    }

    /** Frees the slots whose removal is durable by now. */
    synchronized void releaseDurable() {
        long durable = store.durableSequence();
        for (Retired next = retired.peek();
                next != null && next.sequence() <= durable;
                next = retired.peek()) {
            retired.remove();
            index.release(next.slot());
        }
    }

    /** An append to the journal. */
    @FunctionalInterface
    private interface Append {
        void run() throws IOException;
    }

    /** What the index says of a mapped slot, for the journal; the block stays locked meanwhile. */
    private Append mapped(int file, int block, int slot, int changedPages, int[] checksums) {
        return () ->
                store.slotMapped(
                        slot,
                        file,
                        block,
                        index.validPages(slot),
                        index.dirtyPages(slot),
                        changedPages,
                        checksums);
    }

    /**
     * The memory is right whatever the journal says; a journal that fails ends caching, and what it
     * does not know is found by its write intents and file facts at the next mount.
     */
    private void append(Append record) {
        try {
            record.run();
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }

    /** What the backing does not have depends on the journal: its failure is the caller's too. */
    private void record(Append record) throws IOException {
        try {
            record.run();
        } catch (IOException e) {
            health.journalFailed(e);
            throw e;
        }
    }
}
