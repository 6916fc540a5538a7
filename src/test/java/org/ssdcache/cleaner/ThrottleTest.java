package org.ssdcache.cleaner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.ssdcache.testing.FakeClock;
import org.ssdcache.testing.FakeDirtyBlocks;

final class ThrottleTest {
    private static final int SLOTS = 10_000;
    private static final double DRAIN = 100;

    private final FakeClock clock = new FakeClock();
    private final FakeDirtyBlocks dirty = new FakeDirtyBlocks(clock, 16_384, SLOTS);
    private Throttle.State state = Throttle.State.WORKING;
    private final Throttle throttle = new Throttle(dirty, clock, () -> DRAIN, () -> state);

    private void makeDirty(int blocks) {
        for (int block = dirty.dirtyCount(); block < blocks; block++) {
            dirty.write(1, block);
        }
    }

    private long waitedNanos(int blocks) {
        long start = clock.monotonicNanos();
        throttle.await(blocks);
        return clock.monotonicNanos() - start;
    }

    @Test
    void theAllowedRateFallsWithoutAStep() {
        assertEquals(Double.POSITIVE_INFINITY, Throttle.allowedRate(0, DRAIN));
        assertEquals(Double.POSITIVE_INFINITY, Throttle.allowedRate(0.5, DRAIN));
        assertEquals(DRAIN, Throttle.allowedRate(0.625, DRAIN), 1e-9);
        assertEquals(0, Throttle.allowedRate(0.75, DRAIN));
        assertEquals(0, Throttle.allowedRate(1, DRAIN));
        double delay = 0;
        for (double share = 0.5001; share < 0.7495; share += 0.0001) {
            double next = 1 / Throttle.allowedRate(share, DRAIN);
            assertTrue(next > delay, "the delay does not grow at " + share);
            // A step of a ten-thousandth changes the delay by no more than its own slope there.
            double used = (share - 0.5) / 0.25;
            double slope = 1 / (DRAIN * 0.25 * (1 - used) * (1 - used));
            assertTrue(next - delay <= slope * 0.0001 * 1.1 + 1e-12, "a cliff at " + share);
            delay = next;
        }
    }

    @Test
    void nobodyWaitsBelowTheSoftShare() {
        makeDirty(SLOTS / 2);
        for (int i = 0; i < 1_000; i++) {
            assertEquals(0, waitedNanos(100));
        }
    }

    @Test
    void writersTogetherMayDirtyTheAllowedRate() {
        makeDirty(6_250);
        long start = clock.monotonicNanos();
        for (int i = 0; i < 500; i++) {
            throttle.await(1);
        }
        double seconds = (clock.monotonicNanos() - start) / 1e9;
        assertEquals(500 / DRAIN, seconds, 0.1);
    }

    @Test
    void aSteadyLoadSettlesBetweenTheShares() {
        long start = clock.monotonicNanos();
        double cleaned = 0;
        for (int written = 1; written <= 100_000; written++) {
            throttle.await(1);
            clock.advanceNanos(300_000);
            cleaned = Math.min(written, (clock.monotonicNanos() - start) / 1e9 * DRAIN);
            dirty.dirtyElsewhere = written - (int) cleaned;
            assertTrue(throttle.dirtyShare() < Throttle.HARD_SHARE, "after " + written);
        }
        assertEquals(0.625, throttle.dirtyShare(), 0.01);
    }

    @Test
    void nobodyWaitsForEver() {
        makeDirty(9_000);
        throttle.await(1);
        assertEquals(10, waitedNanos(1) / 1e9, 0.1);
        state = Throttle.State.FAILING;
        assertEquals(1, waitedNanos(1) / 1e9, 0.1);
        state = Throttle.State.OFF;
        assertEquals(0, waitedNanos(1));
    }
}
