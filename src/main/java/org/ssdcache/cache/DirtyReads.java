package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/**
 * Reads blocks that are dirty in part, or dirty while the cache is gone around: dirty pages come
 * from the slot, always, and what the slot lacks from the backing. The block stays locked over
 * both, so that no page is cleaned and evicted in between.
 */
final class DirtyReads {
    private final BlockIndex index;
    private final DirtySlots dirty;
    private final Slots slots;
    private final BlockLocks locks;
    private final CacheHealth health;
    private final BlockGeometry geometry;

    DirtyReads(
            BlockIndex index,
            DirtySlots dirty,
            Slots slots,
            BlockLocks locks,
            CacheHealth health,
            BlockGeometry geometry) {
        this.index = index;
        this.dirty = dirty;
        this.slots = slots;
        this.locks = locks;
        this.health = health;
        this.geometry = geometry;
    }

    /**
     * Fills a buffer with bytes of one block, if the block is dirty.
     *
     * @return false, and nothing read, if the backing has all of the block
     * @throws IOException if a dirty page cannot be read, or the backing fails
     */
    boolean read(CachedFile file, int block, int skipBytes, ByteBuffer target) throws IOException {
        int number = file.number();
        if (number == CachedFile.UNREGISTERED || dirty.countOf(number) == 0) {
            return false;
        }
        try (BlockLocks.Held held = locks.lock(file.id(), block)) {
            int slot = index.lookupLocked(number, block);
            if (slot == BlockIndex.NONE || index.dirtyPages(slot) == 0) {
                return false;
            }
            readMixed(file, block, slot, skipBytes, target.duplicate());
            return true;
        }
    }

    private void readMixed(CachedFile file, int block, int slot, int skipBytes, ByteBuffer target)
            throws IOException {
        int wanted = geometry.pagesTouched(skipBytes, target.remaining());
        int dirtyPages = index.dirtyPages(slot);
        int good = goodPages(slot, wanted);
        int end = skipBytes + target.remaining();
        for (int at = skipBytes; at < end; ) {
            int stop =
                    Math.min(end, (at / BlockGeometry.PAGE_BYTES + 1) * BlockGeometry.PAGE_BYTES);
            ByteBuffer bytes = target.slice(target.position(), stop - at);
            int page = geometry.pagesTouched(at, 1);
            boolean fromSlot = (good & page) != 0 && readSlot(slot, at, bytes);
            if (!fromSlot && (dirtyPages & page) != 0) {
                throw new ErrnoException(
                        Errno.EIO,
                        "a dirty block of " + file + " cannot be read from cache slot " + slot);
            }
            if (!fromSlot) {
                // I7: of a clean page the backing has the same.
                readBacking(file, geometry.startOf(block) + at, bytes);
            }
            target.position(target.position() + stop - at);
            at = stop;
        }
    }

    /** Of the wanted pages those that are in the slot and are what was stored. */
    private int goodPages(int slot, int wanted) {
        int valid = index.validPages(slot);
        if ((valid & wanted) == 0) {
            return 0;
        }
        try {
            return valid & ~slots.damagedPages(slot, valid);
        } catch (IOException e) {
            health.slotFailed(slot, e);
            return 0;
        }
    }

    private boolean readSlot(int slot, int skipBytes, ByteBuffer bytes) {
        try {
            slots.read(slot, skipBytes, bytes.duplicate());
            return true;
        } catch (IOException e) {
            health.slotFailed(slot, e);
            return false;
        }
    }

    private static void readBacking(CachedFile file, long offsetBytes, ByteBuffer page)
            throws IOException {
        int got = file.backing().read(page.duplicate(), offsetBytes);
        for (int i = got; i < page.capacity(); i++) {
            page.put(i, (byte) 0);
        }
    }
}
