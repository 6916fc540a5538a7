package org.ssdcache.cache;

import java.io.IOException;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.BlockStore;

/**
 * The truncate of a file that the backing does not have as it is. The journal hears of it first,
 * durably: from then on the new length holds, whether the backing heard of it before a crash or
 * not, and no dirty block that was cut off can come back.
 */
final class PendingTruncate {
    private static final long NO_SLOT = -1;

    private final BlockStore store;
    private final BlockLocks locks;
    private final BlockClaims cleanings;
    private final DirtyRanges ranges;
    private final DirtyUpdate update;
    private final PendingFiles pending;
    private final BlockGeometry geometry;

    PendingTruncate(
            BlockStore store,
            BlockLocks locks,
            BlockClaims cleanings,
            DirtyRanges ranges,
            DirtyUpdate update,
            PendingFiles pending,
            BlockGeometry geometry) {
        this.store = store;
        this.locks = locks;
        this.cleanings = cleanings;
        this.ranges = ranges;
        this.update = update;
        this.pending = pending;
        this.geometry = geometry;
    }

    /**
     * Brings a shorter length into the journal, and after it zeros behind the end of a dirty page:
     * a crash in between leaves what the next mount corrects, never an old file with less in it.
     *
     * @return where the pages begin that are not needed any more
     */
    long shrink(CachedFile file, PendingFile state, long sizeBytes) throws IOException {
        long firstLost = tryShrink(file, state, sizeBytes);
        if (firstLost == NO_SLOT) {
            // No slot is free to keep both the old page and the new one: the old one goes home.
            int block = geometry.blockOf(sizeBytes);
            ranges.bringHome(file, block, block);
            firstLost = tryShrink(file, state, sizeBytes);
        }
        if (firstLost == NO_SLOT) {
            throw new ErrnoException(Errno.EIO, file + " cannot be cut: its end stays dirty");
        }
        return firstLost;
    }

    private long tryShrink(CachedFile file, PendingFile state, long sizeBytes) throws IOException {
        long oldBytes = file.sizeBytes();
        long firstLost;
        try {
            file.setSizeBytes(sizeBytes);
            state.beginShrink(sizeBytes);
            pending.record(state);
            firstLost = clearTail(file, sizeBytes);
        } catch (IOException e) {
            try {
                takeBack(file, state, oldBytes);
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw e;
        }
        if (firstLost == NO_SLOT) {
            takeBack(file, state, oldBytes);
        } else {
            state.endShrink(sizeBytes);
        }
        return firstLost;
    }

    /** The old length holds again, also after a crash: the shorter one may be durable already. */
    private void takeBack(CachedFile file, PendingFile state, long oldBytes) throws IOException {
        file.setSizeBytes(oldBytes);
        state.endShrink(oldBytes);
        pending.record(state);
        store.sync();
    }

    /** Returns where the lost pages begin, or NO_SLOT if a slot is needed and none is free. */
    private long clearTail(CachedFile file, long sizeBytes) throws IOException {
        long pageEndBytes = BlockGeometry.pageEnd(sizeBytes);
        if (pageEndBytes == sizeBytes) {
            return sizeBytes;
        }
        int block = geometry.blockOf(sizeBytes);
        int tailBytes = (int) (pageEndBytes - sizeBytes);
        if (!tryClear(file, block, sizeBytes, tailBytes)) {
            return NO_SLOT;
        }
        return isDirty(file, block, sizeBytes) ? pageEndBytes : sizeBytes;
    }

    private boolean tryClear(CachedFile file, int block, long sizeBytes, int tailBytes)
            throws IOException {
        try (BlockLocks.Held held = locks.lock(file.id(), block)) {
            cleanings.overtake(file.id(), block, block);
            return update.zeroDirty(file.number(), file.backing(), sizeBytes, tailBytes);
        }
    }

    private boolean isDirty(CachedFile file, int block, long offsetBytes) {
        try (BlockLocks.Held held = locks.lock(file.id(), block)) {
            return update.isDirty(file.number(), offsetBytes);
        }
    }

    /** Makes the shorter length durable and brings it to the backing. */
    void cutBacking(CachedFile file, long sizeBytes) throws IOException {
        store.sync();
        cleanings.overtakeAll(file.id());
        cleanings.awaitAll(file.id());
        file.backing().truncate(sizeBytes);
    }

    /** Makes the file longer, on the backing first. */
    void grow(CachedFile file, PendingFile state, long sizeBytes) throws IOException {
        file.backing().truncate(sizeBytes);
        file.setSizeBytes(sizeBytes);
        state.setSizeBytes(sizeBytes);
        pending.record(state);
    }
}
