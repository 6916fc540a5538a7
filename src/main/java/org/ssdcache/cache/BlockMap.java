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
 *  FREE     --take-->      FILLING   the caller writes the block's bytes
 *  FILLING  --publish-->   CLEAN     readers find it
 *  FILLING  --giveBack-->  FREE      the block was not wanted after all
 *  CLEAN    --change-->    CLEAN     other pages, or other bytes in them
 *  CLEAN    --drop-->      RETIRED   no reader finds it
 *  CLEAN    --sweep-->     RETIRED   the same, for a file that is gone as a whole
 *  RETIRED  --release-->   FREE      its removal is durable
 * </pre>
 *
 * <p>A slot waits in RETIRED until the journal is synced, so that after a power cut no durable
 * record says that it still holds the old block (I2). Whoever calls publish, change or drop holds
 * the block's lock.
 */
final class BlockMap {
    private final BlockIndex index;
    private final BlockStore store;
    private final EvictionPolicy policy;
    private final IndexImage image;
    private final CacheHealth health;
    private final ConcurrentLinkedQueue<Integer> retired = new ConcurrentLinkedQueue<>();

    BlockMap(
            BlockIndex index,
            BlockStore store,
            EvictionPolicy policy,
            IndexImage image,
            CacheHealth health) {
        this.index = index;
        this.store = store;
        this.policy = policy;
        this.image = image;
        this.health = health;
    }

    /** A slot to fill, or {@link BlockIndex#NONE} when the evictor is behind. */
    int take() {
        return index.takeFree();
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
        if (!index.insert(file, block, slot, validPages)) {
            return false;
        }
        append(() -> store.slotMapped(slot, file, block, validPages, 0, validPages, checksums));
        image.changed(file, block);
        return true;
    }

    /** Pages of a mapped slot were written. */
    void change(int file, int block, int slot, int validPages, int changedPages, int[] checksums) {
        index.setValidPages(slot, validPages);
        append(() -> store.slotMapped(slot, file, block, validPages, 0, changedPages, checksums));
        image.changed(file, block);
    }

    /** The block is not cached any more; the slot becomes free with the next sync. */
    void drop(int file, int block, int slot) {
        if (index.remove(file, block, slot)) {
            append(() -> store.slotFreed(slot));
            image.changed(file, block);
            retired.add(slot);
        }
    }

    /** Keeps only some pages of a block. */
    void keepOnly(int file, int block, int slot, int pages) {
        int kept = index.validPages(slot) & pages;
        if (kept == 0) {
            drop(file, block, slot);
        } else if (kept != index.validPages(slot)) {
            change(file, block, slot, kept, 0, new int[0]);
        }
    }

    /** The block's file is gone; its drop is in the journal already. */
    void sweep(int file, int block, int slot) {
        if (index.remove(file, block, slot)) {
            image.changed(file, block);
            retired.add(slot);
        }
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
        int[] batch = retired.stream().mapToInt(Integer::intValue).toArray();
        store.sync();
        for (int slot : batch) {
            retired.remove();
            index.release(slot);
        }
    }

    /** An append to the journal. */
    @FunctionalInterface
    private interface Append {
        void run() throws IOException;
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
}
