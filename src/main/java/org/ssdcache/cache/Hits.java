package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.StoreException;

/**
 * Reads a block's bytes from its slot, if it has one.
 *
 * <p>No lock is held during the read. The slot's stamp is taken before and compared after; if the
 * slot was given to another block meanwhile, the bytes are thrown away and looked up again (a
 * seqlock; the index documents the memory ordering).
 */
final class Hits {
    private static final int OPTIMISTIC_TRIES = 3;

    private final BlockIndex index;
    private final Slots slots;
    private final BlockMap map;
    private final BlockLocks locks;
    private final EvictionPolicy policy;
    private final CacheHealth health;
    private final BlockGeometry geometry;

    Hits(
            BlockIndex index,
            Slots slots,
            BlockMap map,
            BlockLocks locks,
            EvictionPolicy policy,
            CacheHealth health,
            BlockGeometry geometry) {
        this.index = index;
        this.slots = slots;
        this.map = map;
        this.locks = locks;
        this.policy = policy;
        this.health = health;
        this.geometry = geometry;
    }

    /**
     * BlockClaims a buffer from the cache.
     *
     * @param skipBytes where in the block the buffer's bytes begin
     * @return whether all of it was there; if not, the buffer's content is undefined
     * @throws IOException if pages that the backing does not have cannot be read
     */
    boolean read(CachedFile file, int block, int skipBytes, ByteBuffer target) throws IOException {
        int number = file.number();
        if (number == CachedFile.UNREGISTERED) {
            return false;
        }
        int pages = geometry.pagesTouched(skipBytes, target.remaining());
        for (int tries = 0; tries < OPTIMISTIC_TRIES; tries++) {
            int slot = find(number, block);
            if (slot == BlockIndex.NONE) {
                return false;
            }
            int stamp = index.stamp(slot, number, block);
            if (!index.isCurrent(slot, stamp)) {
                continue;
            }
            if ((index.validPages(slot) & pages) != pages || !isSound(file, block, slot, pages)) {
                return false;
            }
            if (!readSlot(file, block, slot, skipBytes, target.duplicate(), pages)) {
                return false;
            }
            if (index.isCurrent(slot, stamp)) {
                policy.touched(slot);
                return true;
            }
        }
        return readLocked(file, block, skipBytes, target, pages);
    }

    /** The block kept moving under the optimistic reader. */
    private boolean readLocked(
            CachedFile file, int block, int skipBytes, ByteBuffer target, int pages)
            throws IOException {
        try (BlockLocks.Held held = locks.lock(file.id(), block)) {
            int slot = index.lookupLocked(file.number(), block);
            return slot != BlockIndex.NONE
                    && (index.validPages(slot) & pages) == pages
                    && isSound(file, block, slot, pages)
                    && readSlot(file, block, slot, skipBytes, target, pages);
        }
    }

    private int find(int number, int block) {
        int slot = index.lookup(number, block);
        return slot == BlockIndex.NONE ? index.lookupLocked(number, block) : slot;
    }

    private boolean readSlot(
            CachedFile file, int block, int slot, int skipBytes, ByteBuffer target, int pages)
            throws IOException {
        try {
            slots.readHit(slot, skipBytes, target);
            return true;
        } catch (StoreException e) {
            // The file ends inside the store: a fill would make it long again, full of holes.
            health.journalFailed(e);
            return missUnlessDirty(file, block, slot, pages, e);
        } catch (IOException e) {
            health.slotFailed(slot, e);
            return missUnlessDirty(file, block, slot, pages, e);
        }
    }

    /**
     * Clean pages are given up, and the backing has them (I7); of dirty ones it has older bytes.
     */
    private boolean missUnlessDirty(
            CachedFile file, int block, int slot, int pages, IOException cause) throws IOException {
        try (BlockLocks.Held held = locks.lock(file.id(), block)) {
            int number = file.number();
            if (index.lookupLocked(number, block) != slot) {
                return false;
            }
            int dirty = index.dirtyPages(slot);
            if ((dirty & pages) != 0) {
                throw damaged(file, slot, cause);
            }
            if (dirty == 0) {
                map.drop(number, block, slot);
            }
            return false;
        }
    }

    private static ErrnoException damaged(CachedFile file, int slot, IOException cause) {
        ErrnoException e =
                new ErrnoException(
                        Errno.EIO,
                        "cache slot "
                                + slot
                                + " of "
                                + file
                                + " cannot be read, and the backing"
                                + " does not have its bytes");
        e.initCause(cause);
        return e;
    }

    /** Checks a slot from an earlier mount once, before its first use. */
    private boolean isSound(CachedFile file, int block, int slot, int pages) throws IOException {
        if (slots.isVerified(slot)) {
            return true;
        }
        try (BlockLocks.Held held = locks.lock(file.id(), block)) {
            int number = file.number();
            if (index.lookupLocked(number, block) != slot) {
                return false;
            }
            int valid = index.validPages(slot);
            int bad = damagedPages(slot, valid);
            if (bad == 0) {
                return true;
            }
            int dirty = index.dirtyPages(slot);
            map.keepOnly(number, block, slot, (valid & ~bad) | dirty);
            if ((bad & dirty) == 0) {
                health.cleanPagesDiffer(slot);
                return false;
            }
            IOException cause = CacheHealth.checksumMismatch();
            health.slotFailed(slot, cause);
            if ((bad & dirty & pages) != 0) {
                throw damaged(file, slot, cause);
            }
            return false;
        }
    }

    /** A slot that cannot be read counts as damaged as a whole. */
    private int damagedPages(int slot, int valid) {
        try {
            return slots.damagedPages(slot, valid);
        } catch (IOException e) {
            health.slotFailed(slot, e);
            return valid;
        }
    }
}
