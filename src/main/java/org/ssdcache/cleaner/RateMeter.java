package org.ssdcache.cleaner;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import org.ssdcache.io.Clock;

/**
 * How fast blocks went home lately: over the last seconds for people to see, and over the time in
 * which the backing was busy with it, which says what it can do.
 */
final class RateMeter {
    private static final int BUCKETS = 10;
    private static final long BUCKET_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * What a batch weighs in the drain rate after another second of work: about ten seconds count.
     */
    private static final double MEMORY_PER_SECOND = 0.9;

    private final Clock clock;
    private final long startNanos;

    @GuardedBy("this")
    private final long[] blocks = new long[BUCKETS];

    @GuardedBy("this")
    private long newestBucket;

    @GuardedBy("this")
    private double drainedBlocks;

    @GuardedBy("this")
    private double busySeconds;

    /**
     * @param drainRate blocks a second that the backing is believed to take, before it is measured
     */
    RateMeter(Clock clock, double drainRate) {
        this.clock = clock;
        this.startNanos = clock.monotonicNanos();
        this.drainedBlocks = drainRate;
        this.busySeconds = 1;
    }

    synchronized void add(Batch batch) {
        advance();
        blocks[(int) (newestBucket % BUCKETS)] += batch.cleanedBlocks();
        double seconds = batch.nanos() / 1e9;
        double memory = Math.pow(MEMORY_PER_SECOND, seconds);
        drainedBlocks = drainedBlocks * memory + batch.cleanedBlocks();
        busySeconds = busySeconds * memory + seconds;
    }

    @GuardedBy("this")
    private void advance() {
        long now = (clock.monotonicNanos() - startNanos) / BUCKET_NANOS;
        for (long i = Math.max(newestBucket + 1, now - BUCKETS + 1); i <= now; i++) {
            blocks[(int) (i % BUCKETS)] = 0;
        }
        newestBucket = now;
    }

    /** Blocks a second that became clean, over the last ten seconds. */
    synchronized double blocksPerSecond() {
        advance();
        long sum = 0;
        for (long bucket : blocks) {
            sum += bucket;
        }
        return (double) sum / BUCKETS;
    }

    /** Blocks a second that become clean while the backing works for the cleaner, at least one. */
    synchronized double drainRate() {
        return Math.max(1, drainedBlocks / busySeconds);
    }
}
