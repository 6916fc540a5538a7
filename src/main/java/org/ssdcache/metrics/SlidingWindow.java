package org.ssdcache.metrics;

import java.util.Arrays;

/**
 * Sums of counts over the last stretch of wall-clock time, kept in a ring of equal buckets. What
 * was added last is in the newest bucket; a bucket that has grown older than the window is dropped
 * as a whole, so the window reaches back between {@code count - 1} and {@code count} buckets.
 *
 * <p>Wall-clock time, because the windows go on while the cache is not mounted. When the clock is
 * set back, the buckets keep their order and the newest one becomes the present.
 *
 * <p>Not thread-safe.
 */
final class SlidingWindow {
    private final long bucketNanos;
    private final long[][] buckets;
    private int head;
    private long newestBucket;

    SlidingWindow(Window window, long nowNanos) {
        this.bucketNanos = window.bucketSeconds() * 1_000_000_000L;
        this.buckets = new long[window.bucketCount()][Counter.count()];
        this.newestBucket = Math.floorDiv(nowNanos, bucketNanos);
    }

    void add(long[] deltas, long nowNanos) {
        advance(nowNanos);
        for (int i = 0; i < deltas.length; i++) {
            buckets[head][i] += deltas[i];
        }
    }

    long[] sum(long nowNanos) {
        advance(nowNanos);
        long[] sum = new long[Counter.count()];
        for (long[] bucket : buckets) {
            for (int i = 0; i < sum.length; i++) {
                sum[i] += bucket[i];
            }
        }
        return sum;
    }

    long newestBucket() {
        return newestBucket;
    }

    /** The counts of one counter, the newest bucket first. */
    long[] newestFirst(Counter counter) {
        long[] values = new long[buckets.length];
        for (int age = 0; age < values.length; age++) {
            values[age] = buckets[at(age)][counter.index()];
        }
        return values;
    }

    /** Puts back what {@link #newestBucket} and {@link #newestFirst} gave. */
    void restore(long savedNewestBucket, Counter counter, long[] newestFirst) {
        newestBucket = savedNewestBucket;
        for (int age = 0; age < Math.min(buckets.length, newestFirst.length); age++) {
            buckets[at(age)][counter.index()] = newestFirst[age];
        }
    }

    private int at(int age) {
        return Math.floorMod(head - age, buckets.length);
    }

    private void advance(long nowNanos) {
        long now = Math.floorDiv(nowNanos, bucketNanos);
        long steps = Math.min(now - newestBucket, buckets.length);
        for (long step = 0; step < steps; step++) {
            head = (head + 1) % buckets.length;
            Arrays.fill(buckets[head], 0);
        }
        newestBucket = now;
    }
}
