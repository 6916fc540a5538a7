package org.ssdcache.cleaner;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.ssdcache.cache.DirtyBlocks;
import org.ssdcache.io.Clock;

/**
 * Holds back writers, so that the cache is never full of dirty blocks and there is always a clean
 * one to evict. Up to half of the slots dirty nobody waits. From there to three quarters writers
 * together may make dirty
 *
 * <pre>drain rate * (1 - x) / x   blocks a second, x being the part of the way that is used up,
 * </pre>
 *
 * which begins without bound, is the drain rate itself halfway, where a steady load settles, and
 * comes down to nothing: no step anywhere. Nobody waits for ever: after a bound the write goes on.
 */
final class Throttle {
    static final double SOFT_SHARE = 0.5;
    static final double HARD_SHARE = 0.75;

    /** The longest wait of one write. */
    static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The same while nothing can be brought home, when waiting leads nowhere. */
    static final long MAX_WAIT_FAILING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The allowed rate follows the share of dirty blocks, so it is looked at anew so often. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** What cleaning is like at present. */
    enum State {
        WORKING,
        FAILING,
        OFF
    }

    /** Asked at each look. */
    interface StateSource {
        State state();
    }

    private final DirtyBlocks dirty;
    private final Clock clock;
    private final DoubleSupplier drainRate;
    private final StateSource source;

    /** Blocks that may be made dirty now; negative while earlier writes are being waited for. */
    @GuardedBy("this")
    private double credit;

    @GuardedBy("this")
    private long lastNanos;

    /**
     * @param drainRate blocks a second that the cleaner brings home at full speed
     */
    Throttle(DirtyBlocks dirty, Clock clock, DoubleSupplier drainRate, StateSource source) {
        this.dirty = dirty;
        this.clock = clock;
        this.drainRate = drainRate;
        this.source = source;
        this.lastNanos = clock.monotonicNanos();
    }

    /** Whether writers are held back. */
    boolean isActive() {
        return dirtyShare() > SOFT_SHARE;
    }

    double dirtyShare() {
        return (double) dirty.dirtyCount() / dirty.slotCount();
    }

    /** Waits until so many blocks may become dirty. */
    void await(int blocks) {
        if (isActive()) {
            awaitCredit(blocks);
        }
    }

    private synchronized void awaitCredit(int blocks) {
        long start = clock.monotonicNanos();
        double rate = refill();
        while (credit < 0 && isActive() && clock.monotonicNanos() - start < longestWaitNanos()) {
            long neededNanos = (long) Math.min((double) LOOK_NANOS, -credit / rate * 1e9 + 1);
            try {
                clock.waitOn(this, neededNanos);
            } catch (InterruptedException e) {
                // The write must not fail for it; its caller sees the interrupt.
                Thread.currentThread().interrupt();
                break;
            }
            rate = refill();
        }
        // Who went on without credit leaves no more debt behind than a second's worth.
        credit = Math.max(credit - blocks, -drainRate.getAsDouble() - blocks);
    }

    /** Returns the rate allowed at present. */
    @GuardedBy("this")
    private double refill() {
        double rate = allowedRate(dirtyShare(), drainRate.getAsDouble());
        long now = clock.monotonicNanos();
        double seconds = (now - lastNanos) / 1e9;
        lastNanos = now;
        // An infinite rate times no time is no number.
        credit = Double.isInfinite(rate) ? 0 : Math.min(0, credit + rate * seconds);
        return rate;
    }

    /**
     * Blocks a second that may become dirty.
     *
     * @return infinite up to the soft share, 0 from the hard share on
     */
    static double allowedRate(double dirtyShare, double drainRate) {
        double used = (dirtyShare - SOFT_SHARE) / (HARD_SHARE - SOFT_SHARE);
        if (used <= 0) {
            return Double.POSITIVE_INFINITY;
        }
        return used >= 1 ? 0 : drainRate * (1 - used) / used;
    }

    private long longestWaitNanos() {
        return switch (source.state()) {
            case WORKING -> MAX_WAIT_NANOS;
            case FAILING -> MAX_WAIT_FAILING_NANOS;
            case OFF -> 0;
        };
    }

    /** Blocks became clean, or the state changed. */
    synchronized void changed() {
        notifyAll();
    }
}
