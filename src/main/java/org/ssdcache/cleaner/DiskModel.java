package org.ssdcache.cleaner;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * What the backing takes for a request and for a byte, learned from the cleaner's own batches: time
 * = requests * seek + bytes / bandwidth.
 *
 * <p>Least squares that forgets: each batch is one equation, divided by the time it took, so that
 * relative errors count and a long batch weighs no more than a short one. The defaults take part
 * with a small fixed weight. They decide as long as all batches have the same mix of requests and
 * bytes, which cannot tell the two costs apart, and fade where batches differ.
 */
public final class DiskModel {
    /** A spinning disk, until it is known better. */
    static final double DEFAULT_SEEK_SECONDS = 0.008;

    static final double DEFAULT_BYTES_PER_SECOND = 150e6;

    private static final double MIN_SEEK_SECONDS = 20e-6;
    private static final double MAX_SEEK_SECONDS = 0.1;
    private static final double MIN_BYTES_PER_SECOND = 1e6;
    private static final double MAX_BYTES_PER_SECOND = 10e9;

    /** What a batch weighs after the next one: about thirty batches are remembered. */
    private static final double MEMORY = 0.97;

    /** The same after a batch that was a surprise: one is a hiccup, ten are another disk. */
    private static final double MEMORY_AFTER_SURPRISE = 0.7;

    private static final double DEFAULT_WEIGHT = 0.02;

    /**
     * A batch that took so many times more or less than expected counts as if it were this much.
     */
    private static final double SURPRISE = 4;

    private static final double NANOS = 1e9;

    // Sums over the equations 1 = x * seekFactor + y * byteFactor, where a factor of 1 is a
    // default.
    @GuardedBy("this")
    private double sumXx;

    @GuardedBy("this")
    private double sumXy;

    @GuardedBy("this")
    private double sumYy;

    @GuardedBy("this")
    private double sumX;

    @GuardedBy("this")
    private double sumY;

    @GuardedBy("this")
    private double seekSeconds = DEFAULT_SEEK_SECONDS;

    @GuardedBy("this")
    private double secondsPerByte = 1 / DEFAULT_BYTES_PER_SECOND;

    /** A batch took so long. */
    synchronized void observe(int requests, long bytes, long nanos) {
        double expected = requests * seekSeconds + bytes * secondsPerByte;
        double seconds = clamp(nanos / NANOS, expected / SURPRISE, expected * SURPRISE);
        if (!(seconds > 0)) {
            return;
        }
        boolean surprise = seconds != nanos / NANOS;
        double memory = surprise ? MEMORY_AFTER_SURPRISE : MEMORY;
        double x = requests * DEFAULT_SEEK_SECONDS / seconds;
        double y = bytes / DEFAULT_BYTES_PER_SECOND / seconds;
        sumXx = sumXx * memory + x * x;
        sumXy = sumXy * memory + x * y;
        sumYy = sumYy * memory + y * y;
        sumX = sumX * memory + x;
        sumY = sumY * memory + y;
        solve();
    }

    /** The smallest error, under the condition that both costs are in their ranges. */
    @GuardedBy("this")
    private void solve() {
        double xx = sumXx + DEFAULT_WEIGHT;
        double yy = sumYy + DEFAULT_WEIGHT;
        double x = sumX + DEFAULT_WEIGHT;
        double y = sumY + DEFAULT_WEIGHT;
        double determinant = xx * yy - sumXy * sumXy;
        double seek = seekOf((x * yy - y * sumXy) / determinant);
        double perByte = perByteOf((y - sumXy * seek / DEFAULT_SEEK_SECONDS) / yy);
        double byteFactor = perByte * DEFAULT_BYTES_PER_SECOND;
        seekSeconds = seekOf((x - sumXy * byteFactor) / xx);
        secondsPerByte = perByte;
    }

    private static double seekOf(double factor) {
        return clamp(factor * DEFAULT_SEEK_SECONDS, MIN_SEEK_SECONDS, MAX_SEEK_SECONDS);
    }

    private static double perByteOf(double factor) {
        return clamp(
                factor / DEFAULT_BYTES_PER_SECOND,
                1 / MAX_BYTES_PER_SECOND,
                1 / MIN_BYTES_PER_SECOND);
    }

    private static double clamp(double value, double min, double max) {
        return Math.max(min, Math.min(max, value));
    }

    /** Time that the backing is expected to take. */
    synchronized long estimateNanos(int requests, long bytes) {
        return Math.round((requests * seekSeconds + bytes * secondsPerByte) * NANOS);
    }

    /** Bytes that are written as fast as they are skipped: a narrower gap is cheaper to fill. */
    synchronized long widestGapBytes() {
        return (long) (seekSeconds / secondsPerByte);
    }

    public synchronized long seekNanos() {
        return Math.round(seekSeconds * NANOS);
    }

    public synchronized long bytesPerSecond() {
        return Math.round(1 / secondsPerByte);
    }
}
