package org.ssdcache.index;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.ssdcache.block.BlockGeometry;

/**
 * Which slot holds a block, in memory: a hash table with chains through primitive arrays, 24 bytes
 * a slot.
 *
 * <p>Reading takes no lock. Each slot has a stamp, even while a block is mapped there and odd
 * otherwise, that moves at every insert and remove. A reader does
 *
 * <pre>
 *  slot = lookup(file, block)               NONE: ask lookupLocked under the block's lock
 *  stamp = stamp(slot, file, block)         odd when the slot has just gone to another block
 *  pages = validPages(slot)
 *  ... read the slot's bytes ...
 *  isCurrent(slot, stamp)                   false: throw the bytes away and begin again
 * </pre>
 *
 * The bytes are the block's if the last line holds, because {@link #remove} moves the stamp before
 * the slot can be freed, taken and written for another block.
 *
 * <p>Why NONE must be confirmed: a reader that stands on a slot while it is removed follows its
 * chain into the free list or into another bucket. It then finds either the right block (a slot is
 * compared with what was asked for, wherever it was met) or nothing. A walk ends after {@value
 * #MAX_STEPS} steps, since under such changes even a circle could be seen.
 *
 * <p>Changes of one block are ordered by the caller's lock of that block. Changes of different
 * blocks in one bucket are ordered by the bucket's lock here.
 *
 * <p>A slot is free (in the free list), taken (by {@link #takeFree} or {@link #remove}, owned by
 * the caller) or mapped:
 *
 * <pre>
 *  free --takeFree--> taken --insert--> mapped --remove--> taken --release--> free
 *  free --restore--> mapped (while loading, before anybody else uses the index)
 *  mapped, taken --replace--> taken, mapped (copy on write: readers find one or the other)
 * </pre>
 */
public final class BlockIndex {
    /** No slot. */
    public static final int NONE = -1;

    /** Chains are two or three long; whoever walks further than this is lost. */
    private static final int MAX_STEPS = 64;

    private static final int LOCKS = 256;
    private static final int FREE = -1;
    private static final int TAKEN = -2;
    private static final VarHandle INT = MethodHandles.arrayElementVarHandle(int[].class);

    // Constant after construction.
    private final int slotCount;
    private final BlockGeometry geometry;
    private final Object[] bucketLocks = new Object[LOCKS];
    private final Object freeLock = new Object();
    private final AtomicInteger mapped = new AtomicInteger();

    // Written under the bucket's lock (next of a free slot: under freeLock), read without.
    private final int[] heads;
    private final int[] next;

    // Written by the slot's owner while the stamp is odd; pages also under the block's lock.
    // fileOf is FREE or TAKEN while no block is mapped.
    private final int[] fileOf;
    private final int[] blockOf;
    private final PageMasks pages;
    private final int[] stamps;

    @GuardedBy("freeLock")
    private int freeHead = NONE;

    @GuardedBy("freeLock")
    private boolean freeListStale = true;

    private volatile int free;

    public BlockIndex(int slotCount, BlockGeometry geometry) {
        if (slotCount < 1) {
            throw new IllegalArgumentException("an index needs at least one slot");
        }
        this.slotCount = slotCount;
        this.geometry = geometry;
        heads = filled(slotCount, NONE);
        next = filled(slotCount, NONE);
        fileOf = filled(slotCount, FREE);
        blockOf = new int[slotCount];
        pages = new PageMasks(slotCount, geometry.pagesPerBlock());
        stamps = filled(slotCount, 1);
        free = slotCount;
        for (int i = 0; i < LOCKS; i++) {
            bucketLocks[i] = new Object();
        }
    }

    private static int[] filled(int length, int value) {
        int[] array = new int[length];
        java.util.Arrays.fill(array, value);
        return array;
    }

    public int slotCount() {
        return slotCount;
    }

    public BlockGeometry geometry() {
        return geometry;
    }

    /**
     * The slot that holds a block, without a lock and without allocating.
     *
     * @return a slot that held the block a moment ago; {@link #NONE} when none was found, which
     *     only {@link #lookupLocked} makes sure of
     */
    public int lookup(int file, int block) {
        int slot = (int) INT.getAcquire(heads, bucket(file, block));
        for (int steps = 0; slot != NONE && steps < MAX_STEPS; steps++) {
            if ((int) INT.getOpaque(blockOf, slot) == block
                    && (stamp(slot, file, block) & 1) == 0) {
                return slot;
            }
            slot = (int) INT.getAcquire(next, slot);
        }
        return NONE;
    }

    /** The slot that holds a block; the caller holds the block's lock. */
    public int lookupLocked(int file, int block) {
        int bucket = bucket(file, block);
        synchronized (lockOf(bucket)) {
            return find(bucket, file, block);
        }
    }

    /**
     * The stamp of a slot's mapping, to be asked {@link #isCurrent} after the slot was read.
     *
     * @return even if the slot holds this block; odd, which is never current, if it does not
     */
    public int stamp(int slot, int file, int block) {
        int stamp = (int) INT.getAcquire(stamps, slot);
        boolean holds =
                (int) INT.getOpaque(fileOf, slot) == file
                        && (int) INT.getOpaque(blockOf, slot) == block;
        // The fields are read before the stamp is read again, else they might be newer than it.
        VarHandle.acquireFence();
        boolean still = (int) INT.getOpaque(stamps, slot) == stamp;
        return holds && still ? stamp : stamp | 1;
    }

    /** Whether the mapping that had this stamp has been there all the time. */
    public boolean isCurrent(int slot, int stamp) {
        // What was read from the slot was read before the stamp is read again.
        VarHandle.acquireFence();
        return (stamp & 1) == 0 && (int) INT.getAcquire(stamps, slot) == stamp;
    }

    public boolean isMapped(int slot) {
        return ((int) INT.getAcquire(stamps, slot) & 1) == 0;
    }

    /** The file of a slot's block; negative, or about to change, unless the block is locked. */
    public int fileOf(int slot) {
        return (int) INT.getAcquire(fileOf, slot);
    }

    /** The block of a slot; means something only as long as {@link #fileOf} is not negative. */
    public int blockOf(int slot) {
        return (int) INT.getAcquire(blockOf, slot);
    }

    /** Pages whose bytes are in the slot. */
    public int validPages(int slot) {
        return pages.valid(slot);
    }

    /** Valid pages that the backing does not have. */
    public int dirtyPages(int slot) {
        return pages.dirty(slot);
    }

    /**
     * Maps a block to a taken slot whose bytes are there. The caller holds the block's lock.
     *
     * @return false, and nothing changed, if the block is mapped already
     */
    public boolean insert(int file, int block, int slot, int validPages, int dirtyPages) {
        checkOwned(slot, TAKEN, "insert");
        return link(file, block, slot, validPages, dirtyPages);
    }

    /**
     * Maps a block to another, taken slot, in one step for whoever looks it up. The old slot is
     * then taken. The caller holds the block's lock.
     */
    public void replace(
            int file, int block, int oldSlot, int newSlot, int validPages, int dirtyPages) {
        checkOwned(newSlot, TAKEN, "replace");
        synchronized (lockOf(bucket(file, block))) {
            if (!remove(file, block, oldSlot)
                    || !link(file, block, newSlot, validPages, dirtyPages)) {
                throw new IllegalStateException("slot " + oldSlot + " does not hold the block");
            }
        }
    }

    /**
     * Maps a block to a free slot, while the index is loaded and nobody else uses it.
     *
     * @return false, and nothing changed, if the block or the slot is mapped already
     */
    public boolean restore(int file, int block, int slot, int validPages, int dirtyPages) {
        if (fileOf[slot] != FREE) {
            return false;
        }
        synchronized (freeLock) {
            if (!link(file, block, slot, validPages, dirtyPages)) {
                return false;
            }
            freeListStale = true;
            free = free - 1;
            return true;
        }
    }

    private boolean link(int file, int block, int slot, int validPages, int dirtyPages) {
        assert file >= 0 && block >= 0 && areSound(validPages, dirtyPages);
        int bucket = bucket(file, block);
        synchronized (lockOf(bucket)) {
            if (find(bucket, file, block) != NONE) {
                return false;
            }
            INT.setOpaque(fileOf, slot, file);
            INT.setOpaque(blockOf, slot, block);
            pages.set(slot, validPages, dirtyPages);
            INT.setOpaque(next, slot, heads[bucket]);
            INT.setRelease(stamps, slot, stamps[slot] + 1);
            INT.setRelease(heads, bucket, slot);
        }
        mapped.incrementAndGet();
        return true;
    }

    /**
     * Ends a mapping. The slot is then taken, and the caller releases it once nobody needs its
     * bytes. The caller holds the block's lock.
     *
     * @return false, and nothing changed, if the slot does not hold the block
     */
    public boolean remove(int file, int block, int slot) {
        int bucket = bucket(file, block);
        synchronized (lockOf(bucket)) {
            if (!isMapped(slot) || fileOf[slot] != file || blockOf[slot] != block) {
                return false;
            }
            INT.setVolatile(stamps, slot, stamps[slot] + 1);
            // Nothing the caller writes to the slot later may be seen before the new stamp.
            VarHandle.fullFence();
            unlink(bucket, slot);
            INT.setOpaque(fileOf, slot, TAKEN);
        }
        mapped.decrementAndGet();
        return true;
    }

    /** The caller holds the block's lock. Bytes of new pages are in the slot already. */
    public void setPages(int slot, int validPages, int dirtyPages) {
        assert areSound(validPages, dirtyPages);
        pages.set(slot, validPages, dirtyPages);
    }

    private boolean areSound(int validPages, int dirtyPages) {
        return validPages != 0
                && (validPages & ~geometry.allPages()) == 0
                && (dirtyPages & ~validPages) == 0;
    }

    /** A free slot, now the caller's, or {@link #NONE}. */
    public int takeFree() {
        return takeFree(0);
    }

    /** The same; returns NONE also if no more than so many slots would be left free. */
    public int takeFree(int keep) {
        synchronized (freeLock) {
            if (freeListStale) {
                rebuildFreeList();
            }
            int slot = freeHead;
            if (slot == NONE || free <= keep) {
                return NONE;
            }
            freeHead = next[slot];
            fileOf[slot] = TAKEN;
            free = free - 1;
            return slot;
        }
    }

    /** Gives a taken slot back. */
    public void release(int slot) {
        synchronized (freeLock) {
            checkOwned(slot, TAKEN, "release");
            INT.setOpaque(fileOf, slot, FREE);
            INT.setOpaque(next, slot, freeHead);
            freeHead = slot;
            free = free + 1;
        }
    }

    public int freeCount() {
        return free;
    }

    public int mappedCount() {
        return mapped.get();
    }

    private void checkOwned(int slot, int state, String what) {
        if (fileOf[slot] != state) {
            throw new IllegalStateException(
                    "slot " + slot + " cannot " + what + " in state " + fileOf[slot]);
        }
    }

    @GuardedBy("freeLock")
    private void rebuildFreeList() {
        freeHead = NONE;
        // From the end, so that an empty cache fills its file in order.
        for (int slot = slotCount - 1; slot >= 0; slot--) {
            if (fileOf[slot] == FREE) {
                INT.setOpaque(next, slot, freeHead);
                freeHead = slot;
            }
        }
        freeListStale = false;
    }

    private int find(int bucket, int file, int block) {
        int slot = heads[bucket];
        while (slot != NONE && (fileOf[slot] != file || blockOf[slot] != block)) {
            slot = next[slot];
        }
        return slot;
    }

    private void unlink(int bucket, int slot) {
        if (heads[bucket] == slot) {
            INT.setRelease(heads, bucket, next[slot]);
            return;
        }
        int previous = heads[bucket];
        while (next[previous] != slot) {
            previous = next[previous];
        }
        INT.setRelease(next, previous, next[slot]);
    }

    private int bucket(int file, int block) {
        long hash = (file * 0x9E3779B97F4A7C15L) ^ (block * 0xC2B2AE3D27D4EB4FL);
        hash = (hash ^ (hash >>> 29)) * 0xBF58476D1CE4E5B9L;
        // The high half times the count, shifted down: spreads over any count without a division.
        return (int) (((hash >>> 32) * slotCount) >>> 32);
    }

    private Object lockOf(int bucket) {
        return bucketLocks[bucket & (LOCKS - 1)];
    }

    /**
     * Checks, while nobody changes the index, that every mapped slot is in its bucket's chain
     * exactly once, that no block is mapped twice, and that every free slot is in the free list.
     *
     * @throws IllegalStateException naming the first slot that is wrong
     */
    public void checkInvariants() {
        IndexCheck.check(this);
    }

    /** Slots in the chains and in the free list, for {@link IndexCheck}. */
    int chainHead(int bucket) {
        return heads[bucket];
    }

    int freeListHead() {
        synchronized (freeLock) {
            if (freeListStale) {
                rebuildFreeList();
            }
            return freeHead;
        }
    }

    int nextOf(int slot) {
        return next[slot];
    }

    int bucketOf(int slot) {
        return bucket(fileOf[slot], blockOf[slot]);
    }

    boolean isFree(int slot) {
        return fileOf[slot] == FREE;
    }
}
