package org.ssdcache.cache;

import java.io.IOException;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.io.Clock;

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
    private final BlockClaims fills;
    private final DirtyRanges ranges;
    private final SlotUpdate update;
    private final PendingFiles pending;
    private final PendingTruncate pendingTruncate;
    private final BlockIndex index;
    private final Clock clock;
    private final BlockGeometry geometry;

    Resizing(
            WriteIntents intents,
            BlockLocks locks,
            BlockClaims fills,
            DirtyRanges ranges,
            SlotUpdate update,
            PendingFiles pending,
            PendingTruncate pendingTruncate,
            BlockIndex index,
            Clock clock,
            BlockGeometry geometry) {
        this.intents = intents;
        this.locks = locks;
        this.fills = fills;
        this.ranges = ranges;
        this.update = update;
        this.pending = pending;
        this.pendingTruncate = pendingTruncate;
        this.index = index;
        this.clock = clock;
        this.geometry = geometry;
    }

    void truncate(CachedFile file, long sizeBytes) throws IOException {
        try (WriteIntents.Change change = intents.beginWholeFile(file)) {
            file.resizing().writeLock().lock();
            try {
                file.setChanged(true);
                cutLeftover(file);
                long oldBytes = file.sizeBytes();
                truncateLocked(file, sizeBytes);
                if (sizeBytes == 0 && oldBytes > 0) {
                    file.emptied();
                }
                file.reservation().cutTo(sizeBytes);
            } finally {
                file.backingChanged();
                file.resizing().writeLock().unlock();
            }
        }
    }

    private void truncateLocked(CachedFile file, long sizeBytes) throws IOException {
        try (PendingFiles.BackingChange change =
                pending.beginBackingChange(file, clock.wallNanos())) {
            if (change.state() != null) {
                truncatePending(file, change.state(), sizeBytes);
            } else {
                truncateOnBacking(file, sizeBytes);
            }
        }
    }

    private void truncateOnBacking(CachedFile file, long sizeBytes) throws IOException {
        long oldBytes = file.sizeBytes();
        boolean done = false;
        try {
            file.backing().truncate(sizeBytes);
            file.setSizeBytes(sizeBytes);
            done = true;
        } finally {
            fills.overtakeAll(file.id());
            long lostFrom = done ? sizeBytes : Math.min(oldBytes, sizeBytes);
            dropRange(file, lostFrom, Math.max(oldBytes, sizeBytes), false);
            if (!done) {
                file.setSizeBytes(file.backing().sizeBytes());
            }
        }
    }

    private void truncatePending(CachedFile file, PendingFile state, long sizeBytes)
            throws IOException {
        long oldBytes = file.sizeBytes();
        if (sizeBytes >= oldBytes) {
            pendingTruncate.grow(file, state, sizeBytes);
            return;
        }
        long firstLost = pendingTruncate.shrink(file, state, sizeBytes);
        dropRange(file, firstLost, oldBytes, false);
        boolean cut = false;
        try {
            pendingTruncate.cutBacking(file, sizeBytes);
            cut = true;
        } finally {
            if (!cut) {
                file.setLeftoverEndBytes(oldBytes);
            }
            // Who read the backing until now may have read what is behind the new end.
            fills.overtakeAll(file.id());
            dropRange(file, sizeBytes, oldBytes, true);
        }
    }

    /** Before the file is written: what is behind its end on the backing must not come back. */
    void cutLeftoverIfAny(CachedFile file) throws IOException {
        if (file.leftoverEndBytes() == 0) {
            return;
        }
        file.resizing().writeLock().lock();
        try {
            cutLeftover(file);
        } finally {
            file.resizing().writeLock().unlock();
        }
    }

    private void cutLeftover(CachedFile file) throws IOException {
        long endBytes = file.leftoverEndBytes();
        if (endBytes != 0) {
            pendingTruncate.cutBacking(file, file.sizeBytes());
            fills.overtakeAll(file.id());
            dropRange(file, file.sizeBytes(), endBytes, true);
            file.setLeftoverEndBytes(0);
        }
    }

    /**
     * Drops everything clean that is cached of the file: what it held is not to be believed any
     * more.
     *
     * @param sizeBytes the file's length on the backing now
     */
    void dropAll(CachedFile file, long sizeBytes) {
        file.resizing().writeLock().lock();
        try {
            fills.overtakeAll(file.id());
            dropRange(file, 0, Math.max(file.sizeBytes(), sizeBytes), true);
            if (pending.get(file.number()) == null) {
                file.setSizeBytes(sizeBytes);
            }
        } finally {
            file.resizing().writeLock().unlock();
        }
    }

    /**
     * The backing may have lost what it was given: nothing clean is served from the cache or the
     * kernel's pages that the disk does not have.
     */
    void distrust(CachedFile file) throws IOException {
        file.backing().forgetPages(0, 0);
        dropAll(file, file.sizeBytes());
        if (pending.get(file.number()) == null) {
            file.setSizeBytes(file.backing().sizeBytes());
        }
    }

    void allocate(CachedFile file, int mode, long offsetBytes, long lengthBytes)
            throws IOException {
        boolean losesBytes = (mode & (PUNCH_HOLE | ZERO_RANGE)) != 0;
        long endBytes = offsetBytes + lengthBytes;
        try (WriteIntents.Change change = intents.begin(file, offsetBytes, lengthBytes)) {
            file.resizing().writeLock().lock();
            try {
                file.setChanged(true);
                cutLeftover(file);
                if (losesBytes && file.sizeBytes() > offsetBytes) {
                    bringHome(file, offsetBytes, Math.min(endBytes, file.sizeBytes()));
                }
                allocateLocked(file, mode, offsetBytes, lengthBytes);
            } finally {
                file.backingChanged();
                if (losesBytes) {
                    fills.overtakeAll(file.id());
                    // Nothing of it is dirty any more, unless bringing that home failed.
                    dropRange(file, offsetBytes, Math.min(endBytes, file.sizeBytes()), true);
                    file.reservation().cutTo(offsetBytes);
                }
                file.resizing().writeLock().unlock();
            }
        }
    }

    private void allocateLocked(CachedFile file, int mode, long offsetBytes, long lengthBytes)
            throws IOException {
        try (PendingFiles.BackingChange change =
                pending.beginBackingChange(file, clock.wallNanos())) {
            file.backing().allocate(mode, offsetBytes, lengthBytes);
            if ((mode & KEEP_SIZE) == 0) {
                file.growTo(offsetBytes + lengthBytes);
            }
            change.grown();
        }
    }

    /** No write makes a block of the file dirty meanwhile. */
    private void bringHome(CachedFile file, long startBytes, long endBytes) throws IOException {
        ranges.bringHome(file, geometry.blockOf(startBytes), geometry.blockOf(endBytes - 1));
    }

    /** Drops every cached page that the byte range touches. */
    private void dropRange(CachedFile file, long startBytes, long endBytes, boolean keepDirty) {
        if (startBytes >= endBytes || file.number() == CachedFile.UNREGISTERED) {
            return;
        }
        int first = geometry.blockOf(startBytes);
        int last = geometry.blockOf(endBytes - 1);
        if ((long) last - first >= index.slotCount()) {
            dropMapped(file, startBytes, endBytes, first, last, keepDirty);
            return;
        }
        for (int block = first; block <= last; block++) {
            dropPages(file, block, startBytes, endBytes, keepDirty);
        }
    }

    /** A sparse giant has more blocks than the cache has slots: go by slots instead. */
    private void dropMapped(
            CachedFile file,
            long startBytes,
            long endBytes,
            int first,
            int last,
            boolean keepDirty) {
        for (int slot = 0; slot < index.slotCount(); slot++) {
            int block = index.blockOf(slot);
            if (index.isMapped(slot)
                    && index.fileOf(slot) == file.number()
                    && block >= first
                    && block <= last) {
                dropPages(file, block, startBytes, endBytes, keepDirty);
            }
        }
    }

    private void dropPages(
            CachedFile file, int block, long startBytes, long endBytes, boolean keepDirty) {
        long blockStart = geometry.startOf(block);
        int from = (int) Math.max(0, startBytes - blockStart);
        int to = (int) Math.min(geometry.blockBytes(), endBytes - blockStart);
        int lost = geometry.pagesTouched(from, to - from);
        try (BlockLocks.Held held = locks.lock(file.id(), block)) {
            if (keepDirty) {
                update.keepOnlyOrDirty(file, block, geometry.allPages() & ~lost);
            } else {
                update.keepOnly(file, block, geometry.allPages() & ~lost);
            }
        }
    }
}
