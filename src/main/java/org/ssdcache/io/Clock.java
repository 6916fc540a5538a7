package org.ssdcache.io;

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
            };

    /** Nanoseconds of a clock that never jumps; only differences mean something. */
    long monotonicNanos();

    /** Nanoseconds since 1970, comparable with file times. */
    long wallNanos();
}
