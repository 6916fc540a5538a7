package org.ssdcache.cache;

import java.io.IOException;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.index.BlockIndex;

/**
 * Truncate and fallocate: the backing first, then the cached pages that lost their bytes. Excludes
 * writes to the file, so that no write is half before and half after it.
 */
final class Resizing {
    /** fallocate(2): the length of the file does not change. */
    static final int KEEP_SIZE = 1;

    /** fallocate(2): the range becomes a hole. */
    static final int PUNCH_HOLE = 2;

    /** fallocate(2): the range reads as zeros. */
    static final int ZERO_RANGE = 16;

    private final WriteIntents intents;
    private final BlockLocks locks;
    private final Fills fills;
    private final SlotUpdate update;
    private final BlockIndex index;
    private final BlockGeometry geometry;

    Resizing(
            WriteIntents intents,
            BlockLocks locks,
            Fills fills,
            SlotUpdate update,
            BlockIndex index,
            BlockGeometry geometry) {
        this.intents = intents;
        this.locks = locks;
        this.fills = fills;
        this.update = update;
        this.index = index;
        this.geometry = geometry;
    }

    void truncate(CachedFile file, long sizeBytes) throws IOException {
        try (WriteIntents.Change change = intents.beginWholeFile(file)) {
            file.resizing().writeLock().lock();
            long oldBytes = file.sizeBytes();
            boolean done = false;
            try {
                file.setChanged(true);
                file.backing().truncate(sizeBytes);
                file.setSizeBytes(sizeBytes);
                done = true;
            } finally {
                fills.overtakeAll(file.id());
                long lostFrom = done ? sizeBytes : Math.min(oldBytes, sizeBytes);
                dropRange(file, lostFrom, Math.max(oldBytes, sizeBytes));
                if (!done) {
                    file.setSizeBytes(file.backing().sizeBytes());
                }
                file.resizing().writeLock().unlock();
            }
        }
    }

    /**
     * Drops everything that is cached of the file: what it held is not to be believed any more.
     *
     * @param sizeBytes the file's length now
     */
    void dropAll(CachedFile file, long sizeBytes) {
        file.resizing().writeLock().lock();
        try {
            fills.overtakeAll(file.id());
            dropRange(file, 0, Math.max(file.sizeBytes(), sizeBytes));
            file.setSizeBytes(sizeBytes);
        } finally {
            file.resizing().writeLock().unlock();
        }
    }

    /**
     * The backing may have lost what it was given: nothing is served from the cache or the kernel's
     * pages that the disk does not have.
     */
    void distrust(CachedFile file) throws IOException {
        file.backing().forgetPages(0, 0);
        dropAll(file, file.sizeBytes());
        file.setSizeBytes(file.backing().sizeBytes());
    }

    void allocate(CachedFile file, int mode, long offsetBytes, long lengthBytes)
            throws IOException {
        boolean losesBytes = (mode & (PUNCH_HOLE | ZERO_RANGE)) != 0;
        long endBytes = offsetBytes + lengthBytes;
        try (WriteIntents.Change change = intents.begin(file, offsetBytes, lengthBytes)) {
            file.resizing().writeLock().lock();
            try {
                file.setChanged(true);
                file.backing().allocate(mode, offsetBytes, lengthBytes);
                if ((mode & KEEP_SIZE) == 0) {
                    file.growTo(endBytes);
                }
            } finally {
                if (losesBytes) {
                    fills.overtakeAll(file.id());
                    dropRange(file, offsetBytes, Math.min(endBytes, file.sizeBytes()));
                }
                file.resizing().writeLock().unlock();
            }
        }
    }

    /** Drops every cached page that the byte range touches. */
    private void dropRange(CachedFile file, long startBytes, long endBytes) {
        if (startBytes >= endBytes || file.number() == CachedFile.UNREGISTERED) {
            return;
        }
        int first = geometry.blockOf(startBytes);
        int last = geometry.blockOf(endBytes - 1);
        if ((long) last - first >= index.slotCount()) {
            dropMapped(file, startBytes, endBytes, first, last);
            return;
        }
        for (int block = first; block <= last; block++) {
            dropPages(file, block, startBytes, endBytes);
        }
    }

    /** A sparse giant has more blocks than the cache has slots: go by slots instead. */
    private void dropMapped(CachedFile file, long startBytes, long endBytes, int first, int last) {
        for (int slot = 0; slot < index.slotCount(); slot++) {
            int block = index.blockOf(slot);
            if (index.isMapped(slot)
                    && index.fileOf(slot) == file.number()
                    && block >= first
                    && block <= last) {
                dropPages(file, block, startBytes, endBytes);
            }
        }
    }

    private void dropPages(CachedFile file, int block, long startBytes, long endBytes) {
        long blockStart = geometry.startOf(block);
        int from = (int) Math.max(0, startBytes - blockStart);
        int to = (int) Math.min(geometry.blockBytes(), endBytes - blockStart);
        int lost = geometry.pagesTouched(from, to - from);
        try (BlockLocks.Held held = locks.lock(file.id(), block)) {
            update.keepOnly(file, block, geometry.allPages() & ~lost);
        }
    }
}
