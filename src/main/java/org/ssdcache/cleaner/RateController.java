package org.ssdcache.cleaner;

import java.util.concurrent.TimeUnit;

/**
 * How many blocks a second go home while applications read the backing, so that the dirty ones keep
 * near their target: bcache's PI controller, with its constants (Linux,
 * drivers/md/bcache/writeback.c, {@code __update_writeback_rate} and {@code
 * bch_cached_dev_writeback_init}), in blocks where bcache has sectors.
 *
 * <p>rate = error / 40 + integral / 10000, where error is the number of dirty blocks over the
 * target and integral its sum over seconds, at least 8. The first term alone would bring the
 * surplus home within 40 seconds; the second finds the rate at which a steady load arrives. Not
 * thread-safe.
 */
final class RateController {
    static final long UPDATE_NANOS = TimeUnit.SECONDS.toNanos(5);
    static final double MINIMUM_BLOCKS_PER_SECOND = 8;
    private static final double PROPORTIONAL_INVERSE = 40;
    private static final double INTEGRAL_INVERSE = 10_000;

    private double integral;
    private double blocksPerSecond = MINIMUM_BLOCKS_PER_SECOND;
    private long lastUpdateNanos;

    RateController(long nowNanos) {
        this.lastUpdateNanos = nowNanos;
    }

    /**
     * Computes the rate anew every five seconds.
     *
     * @param errorBlocks dirty blocks over the target; negative below it
     * @param keepsUp whether the backing did what the last rate asked for; when it did not, asking
     *     for more is in vain, and the integral would only have to be unwound later
     */
    void update(long nowNanos, long errorBlocks, boolean keepsUp) {
        long elapsedNanos = nowNanos - lastUpdateNanos;
        if (elapsedNanos < UPDATE_NANOS) {
            return;
        }
        lastUpdateNanos = nowNanos;
        if (errorBlocks < 0 ? integral > 0 : keepsUp) {
            // After a rest, one period counts: nothing was regulated meanwhile.
            integral += errorBlocks * (UPDATE_NANOS / 1e9);
        }
        double rate = errorBlocks / PROPORTIONAL_INVERSE + integral / INTEGRAL_INVERSE;
        blocksPerSecond = Math.max(MINIMUM_BLOCKS_PER_SECOND, rate);
    }

    double blocksPerSecond() {
        return blocksPerSecond;
    }
}
