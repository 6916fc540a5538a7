package org.ssdcache.io;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Time, replaced by hand-moved time in tests. */
public interface Clock {
    Clock SYSTEM =
            new Clock() {
                @Override
                public long monotonicNanos() {
                    return System.nanoTime();
                }

                @Override
                public long wallNanos() {
                    java.time.Instant now = java.time.Instant.now();
                    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
                }

                @Override
                public void awaitWallNanos(long untilNanos) {
                    for (long now = wallNanos(); now < untilNanos; now = wallNanos()) {
                        LockSupport.parkNanos(untilNanos - now);
                    }
                }
            };

    /** Nanoseconds of a clock that never jumps; only differences mean something. */
    long monotonicNanos();

    /** Nanoseconds since 1970, comparable with file times. */
    long wallNanos();

    /** Returns when {@link #wallNanos} has reached this time; for short waits. */
    void awaitWallNanos(long untilNanos);

    /**
     * Waits until the monitor, which the caller holds, is notified or so much time has passed; also
     * returns early for no reason, so call it in a loop.
     */
    default void waitOn(Object monitor, long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.timedWait(monitor, nanos);
    }
}
