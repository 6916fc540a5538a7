package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.io.Clock;

/**
 * A write in mode writeback: room on the backing is made sure of, the slots take the bytes, and the
 * file is noted as pending until the cleaner has brought it home.
 */
final class WriteBack {
    private enum Result {
        DONE,
        /** The backing directory has to be guarded first. */
        UNGUARDED,
        /** No slot is free: the evictor is behind. */
        NO_SLOT,
        /** Not in this mode any more. */
        GO_DIRECT
    }

    /** Then everything is dirty, and the backing has to take what comes. */
    private static final int EVICTION_TRIES = 3;

    private final PendingLease lease;
    private final FileRecords records;
    private final PendingFiles pending;
    private final BlockLocks locks;
    private final BlockClaims fills;
    private final BlockClaims cleanings;
    private final DirtyRanges ranges;
    private final DirtyUpdate update;
    private final Evictor evictor;
    private final DirtyGuard guard;
    private final Bypass bypass;
    private final Clock clock;
    private final BlockGeometry geometry;

    WriteBack(
            PendingLease lease,
            FileRecords records,
            PendingFiles pending,
            BlockLocks locks,
            BlockClaims fills,
            BlockClaims cleanings,
            DirtyRanges ranges,
            DirtyUpdate update,
            Evictor evictor,
            DirtyGuard guard,
            Bypass bypass,
            Clock clock,
            BlockGeometry geometry) {
        this.lease = lease;
        this.records = records;
        this.pending = pending;
        this.locks = locks;
        this.fills = fills;
        this.cleanings = cleanings;
        this.ranges = ranges;
        this.update = update;
        this.evictor = evictor;
        this.guard = guard;
        this.bypass = bypass;
        this.clock = clock;
        this.geometry = geometry;
    }

    /**
     * Writes all of the buffer to the slots.
     *
     * @return false if the write has to go to the backing; some blocks of it may be written
     */
    boolean write(CachedFile file, ByteBuffer source, long offsetBytes) throws IOException {
        int first = geometry.blockOf(offsetBytes);
        int last = geometry.blockOf(offsetBytes + source.remaining() - 1);
        ranges.service().beforeDirty(last - first + 1);
        if (!records.registerForFill(file)) {
            return false;
        }
        int tries = 0;
        while (true) {
            switch (tryWrite(file, source, offsetBytes, first, last)) {
                case DONE -> {
                    ranges.service().dirtied();
                    return true;
                }
                case GO_DIRECT -> {
                    return false;
                }
                case NO_SLOT -> {
                    if (++tries == EVICTION_TRIES) {
                        return false;
                    }
                    evictor.run();
                }
                case UNGUARDED -> guard.close();
            }
        }
    }

    private Result tryWrite(
            CachedFile file, ByteBuffer source, long offsetBytes, int first, int last)
            throws IOException {
        file.resizing().readLock().lock();
        try {
            if (!guard.isClosed()) {
                return Result.UNGUARDED;
            }
            lease.ensure();
            PendingFile state =
                    pending.beginChange(file.number(), () -> now(file), clock.wallNanos());
            try {
                // A write to the backing may have made it longer before the file was pending.
                growState(state, file.sizeBytes());
                reserve(file, offsetBytes, source.remaining());
                return writeSlots(file, state, source, offsetBytes, first, last);
            } finally {
                state.endChange();
            }
        } finally {
            file.resizing().readLock().unlock();
        }
    }

    private void reserve(CachedFile file, long offsetBytes, int lengthBytes) throws IOException {
        if (SpaceReservation.isNeeded(file, offsetBytes, lengthBytes)) {
            SpaceReservation.reserve(file, offsetBytes, lengthBytes);
        }
    }

    private Result writeSlots(
            CachedFile file,
            PendingFile state,
            ByteBuffer source,
            long offsetBytes,
            int first,
            int last)
            throws IOException {
        try (BlockLocks.Held held = locks.lock(file.id(), first, last)) {
            if (!guard.isClosed()) {
                return Result.UNGUARDED;
            }
            if (bypass.mode() != CacheMode.WRITEBACK || !records.isLive(file)) {
                return Result.GO_DIRECT;
            }
            // Before the first byte changes: who is moving the old bytes must not finish with them.
            fills.overtake(file.id(), first, last);
            cleanings.overtake(file.id(), first, last);
            int done = first;
            try {
                while (done <= last && writeBlock(file, done, source, offsetBytes)) {
                    done++;
                }
            } finally {
                // Also of a write that failed: no byte is behind the end.
                long writtenBytes = geometry.startOf(done) - offsetBytes;
                if (writtenBytes > 0) {
                    grow(file, state, offsetBytes + Math.min(source.remaining(), writtenBytes));
                }
            }
            return done > last ? Result.DONE : Result.NO_SLOT;
        }
    }

    private void grow(CachedFile file, PendingFile state, long endBytes) throws IOException {
        if (endBytes > file.sizeBytes()) {
            // Before anybody can read there; another write may have told the state by now.
            file.setLongerThanBacking();
            file.growTo(endBytes);
        }
        growState(state, endBytes);
    }

    private void growState(PendingFile state, long endBytes) throws IOException {
        if (state.growTo(endBytes)) {
            pending.record(state);
        }
    }

    private boolean writeBlock(CachedFile file, int block, ByteBuffer source, long offsetBytes)
            throws IOException {
        long start = geometry.startOf(block);
        int from = (int) Math.max(0, start - offsetBytes);
        int to = (int) Math.min(source.remaining(), start + geometry.blockBytes() - offsetBytes);
        int skip = geometry.offsetInBlock(Math.max(start, offsetBytes));
        ByteBuffer part = source.slice(source.position() + from, to - from);
        boolean written =
                update.write(file.number(), file.backing(), block, skip, part, file.sizeBytes());
        file.setAdmitted();
        return written;
    }

    private PendingAttributes now(CachedFile file) throws IOException {
        FileFacts facts = file.backing().facts();
        return new PendingAttributes(
                file.sizeBytes(), facts.modifiedNanos(), facts.changedNanos(), file.locator());
    }
}
