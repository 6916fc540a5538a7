package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;

/**
 * What a write does, on one screen: announce it (I9), change the backing, void the fills it
 * overtook (I2), then bring the slots in line: updated in writethrough, dropped in the other modes.
 */
final class WritePath {
    private final WriteIntents intents;
    private final BlockLocks locks;
    private final Fills fills;
    private final SlotUpdate update;
    private final Bypass bypass;
    private final Counters counters;
    private final BlockGeometry geometry;

    WritePath(
            WriteIntents intents,
            BlockLocks locks,
            Fills fills,
            SlotUpdate update,
            Bypass bypass,
            Counters counters,
            BlockGeometry geometry) {
        this.intents = intents;
        this.locks = locks;
        this.fills = fills;
        this.update = update;
        this.bypass = bypass;
        this.counters = counters;
        this.geometry = geometry;
    }

    void write(CachedFile file, ByteBuffer source, long offsetBytes, int task) throws IOException {
        int lengthBytes = source.remaining();
        if (lengthBytes == 0) {
            return;
        }
        int first = geometry.blockOf(offsetBytes);
        int last = geometry.blockOf(offsetBytes + lengthBytes - 1);
        BypassReason reason = bypass.ofWrite(file, offsetBytes, lengthBytes, task);
        try (WriteIntents.Change change = intents.begin(file, offsetBytes, lengthBytes)) {
            file.resizing().readLock().lock();
            try (BlockLocks.Held held = locks.lock(file.id(), first, last)) {
                file.setChanged(true);
                writeBacking(file, source.duplicate(), offsetBytes, first, last);
                updateSlots(file, source, offsetBytes, first, last, reason);
            } finally {
                file.resizing().readLock().unlock();
            }
        }
        if (reason != null) {
            counters.add(reason.counter(), 1);
            counters.add(Counter.BYPASSED_BYTES, lengthBytes);
        }
    }

    /** After a failed write nobody knows what the backing holds, so the blocks are dropped. */
    private void writeBacking(
            CachedFile file, ByteBuffer source, long offsetBytes, int first, int last)
            throws IOException {
        boolean written = false;
        long endBytes = offsetBytes + source.remaining();
        try {
            file.backing().write(source, offsetBytes);
            file.growTo(endBytes);
            written = true;
        } finally {
            fills.overtake(file.id(), first, last);
            if (!written) {
                for (int block = first; block <= last; block++) {
                    update.drop(file, block);
                }
                file.growTo(file.backing().sizeBytes());
            }
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
