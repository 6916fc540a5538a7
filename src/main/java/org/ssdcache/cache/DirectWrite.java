package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.io.Clock;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/**
 * A write that goes to the backing: announce it (I9), change the backing, void the fills it
 * overtook (I2), then bring the slots in line: updated in writethrough, dropped in the other modes.
 *
 * <p>What the cache has newer than the backing must not meet it: dirty blocks are brought home
 * first, and a block that is on its way home is waited for.
 */
final class DirectWrite {
    /** Somebody makes the blocks dirty again and again; the cleaner is faster than that. */
    private static final int MAX_CLEANINGS = 100;

    private final WriteIntents intents;
    private final BlockLocks locks;
    private final BlockClaims fills;
    private final DirtyRanges dirty;
    private final SlotUpdate update;
    private final PendingFiles pending;
    private final Clock clock;
    private final BlockGeometry geometry;

    DirectWrite(
            WriteIntents intents,
            BlockLocks locks,
            BlockClaims fills,
            DirtyRanges dirty,
            SlotUpdate update,
            PendingFiles pending,
            Clock clock,
            BlockGeometry geometry) {
        this.intents = intents;
        this.locks = locks;
        this.fills = fills;
        this.dirty = dirty;
        this.update = update;
        this.pending = pending;
        this.clock = clock;
        this.geometry = geometry;
    }

    /**
     * Writes all of the buffer.
     *
     * @param reason why the blocks are not to be admitted; null when they are
     */
    void write(CachedFile file, ByteBuffer source, long offsetBytes, BypassReason reason)
            throws IOException {
        int first = geometry.blockOf(offsetBytes);
        int last = geometry.blockOf(offsetBytes + source.remaining() - 1);
        for (int tries = 0; tries < MAX_CLEANINGS; tries++) {
            dirty.bringHome(file, first, last);
            try (WriteIntents.Change change =
                    intents.begin(file, offsetBytes, source.remaining())) {
                if (writeIfClean(file, source, offsetBytes, first, last, reason)) {
                    return;
                }
            }
        }
        throw new ErrnoException(Errno.EIO, "blocks of " + file + " do not stay clean");
    }

    private boolean writeIfClean(
            CachedFile file,
            ByteBuffer source,
            long offsetBytes,
            int first,
            int last,
            BypassReason reason)
            throws IOException {
        file.resizing().readLock().lock();
        try (BlockLocks.Held held = locks.lock(file.id(), first, last)) {
            if (dirty.isAny(file, first, last)) {
                return false;
            }
            file.setChanged(true);
            writeBacking(file, source.duplicate(), offsetBytes, first, last);
            updateSlots(file, source, offsetBytes, first, last, reason);
            return true;
        } finally {
            file.resizing().readLock().unlock();
        }
    }

    /** After a failed write nobody knows what the backing holds, so the blocks are dropped. */
    private void writeBacking(
            CachedFile file, ByteBuffer source, long offsetBytes, int first, int last)
            throws IOException {
        boolean written = false;
        long endBytes = offsetBytes + source.remaining();
        try (PendingFiles.BackingChange change =
                pending.beginBackingChange(file, clock.wallNanos())) {
            try {
                file.backing().write(source, offsetBytes);
                written = true;
            } finally {
                file.backingChanged();
                fills.overtake(file.id(), first, last);
                if (!written) {
                    dropAll(file, first, last);
                }
                file.growTo(written ? endBytes : file.backing().sizeBytes());
                change.grown();
            }
        }
    }

    private void dropAll(CachedFile file, int first, int last) {
        for (int block = first; block <= last; block++) {
            update.drop(file, block);
        }
    }

    private void updateSlots(
            CachedFile file,
            ByteBuffer source,
            long offsetBytes,
            int first,
            int last,
            BypassReason reason) {
        for (int block = first; block <= last; block++) {
            if (reason == BypassReason.MODE || reason == BypassReason.ERROR) {
                update.drop(file, block);
                continue;
            }
            long start = geometry.startOf(block);
            int from = (int) Math.max(0, start - offsetBytes);
            int to =
                    (int) Math.min(source.remaining(), start + geometry.blockBytes() - offsetBytes);
            int skip = geometry.offsetInBlock(Math.max(start, offsetBytes));
            ByteBuffer part = source.slice(source.position() + from, to - from);
            update.write(file, block, skip, part, reason == null);
        }
    }
}
