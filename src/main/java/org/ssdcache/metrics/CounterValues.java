package org.ssdcache.metrics;

import java.util.Arrays;

/** One value for each counter; does not change. */
public final class CounterValues {
    private final long[] values;

    private CounterValues(long[] values) {
        this.values = values;
    }

    /** Copies an array that is indexed by {@link Counter#index()}. */
    static CounterValues copyOf(long[] values) {
        return new CounterValues(Arrays.copyOf(values, Counter.count()));
    }

    public long get(Counter counter) {
        return values[counter.index()];
    }

    /** The share of hits among the blocks read, partial hits counted as misses; 0 without reads. */
    public double hitRatio() {
        long hits = get(Counter.CACHE_HITS);
        long all = hits + get(Counter.CACHE_PARTIAL_HITS) + get(Counter.CACHE_MISSES);
        return all == 0 ? 0 : (double) hits / all;
    }
}
