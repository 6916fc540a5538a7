package org.ssdcache.testing;

import java.util.concurrent.atomic.AtomicLong;
import org.ssdcache.io.Clock;

/** Time that moves when the test says so. */
public final class FakeClock implements Clock {
    private final AtomicLong monotonic = new AtomicLong(1_000_000_000L);
    private final AtomicLong wall = new AtomicLong(1_700_000_000_000_000_000L);

    @Override
    public long monotonicNanos() {
        return monotonic.get();
    }

    @Override
    public long wallNanos() {
        return wall.get();
    }

    /** Nobody waits: the time has come. */
    @Override
    public void awaitWallNanos(long untilNanos) {
        advanceNanos(Math.max(0, untilNanos - wallNanos()));
    }

    /** Nobody notifies: the time has passed. */
    @Override
    public void waitOn(Object monitor, long nanos) {
        advanceNanos(nanos);
    }

    /** Time passes on both clocks. */
    public void advanceNanos(long nanos) {
        monotonic.addAndGet(nanos);
        wall.addAndGet(nanos);
    }

    /** Somebody sets the wall clock; the monotonic clock does not notice. */
    public void setWallNanos(long nanos) {
        wall.set(nanos);
    }
}
