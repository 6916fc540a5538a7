package org.ssdcache.cleaner;

import java.util.concurrent.TimeUnit;
import org.ssdcache.cache.DirtyBlocks;
import org.ssdcache.io.Clock;

/** Whether applications have been reading the backing lately. For one thread at a time. */
final class ReadWatch {
    /** Without a read for so long, the backing is taken for idle. */
    static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final DirtyBlocks dirty;
    private final Clock clock;
    private long lastCount;
    private long lastReadNanos;

    ReadWatch(DirtyBlocks dirty, Clock clock) {
        this.dirty = dirty;
        this.clock = clock;
        this.lastCount = dirty.foregroundReadCount();
        this.lastReadNanos = clock.monotonicNanos() - IDLE_NANOS;
    }

    /** Looks at the reads; a read that began and ended since the last look counts as one of now. */
    boolean isIdle() {
        long now = clock.monotonicNanos();
        long count = dirty.foregroundReadCount();
        if (count != lastCount || dirty.foregroundReads() > 0) {
            lastCount = count;
            lastReadNanos = now;
        }
        return now - lastReadNanos >= IDLE_NANOS;
    }
}
