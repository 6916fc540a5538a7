package org.ssdcache.cache;

import org.ssdcache.metrics.Counter;

/** Why a request was served by the backing on purpose; each reason is counted apart. */
public enum BypassReason {
    /** Part of a stream longer than {@code sequential_cutoff}. */
    SEQUENTIAL(Counter.BYPASSED_SEQUENTIAL),
    /** No slot was free in time: the evictor is behind. */
    CONGESTED(Counter.BYPASSED_CONGESTED),
    /** There are more files than the cache has slots. */
    FILES(Counter.BYPASSED_FILES),
    /** The cache mode says so. */
    MODE(Counter.BYPASSED_MODE),
    /** The SSD failed. */
    ERROR(Counter.BYPASSED_ERROR);

    private final Counter counter;

    BypassReason(Counter counter) {
        this.counter = counter;
    }

    Counter counter() {
        return counter;
    }
}
