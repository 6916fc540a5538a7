package org.ssdcache.daemon;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.ssdcache.io.Clock;

/**
 * Tries something that fails again and again, until it has failed for too long; at least three
 * times. For one thread.
 */
final class PatientRetry {
    private static final int TRIES = 3;
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Clock clock;
    private final long patienceNanos;

    PatientRetry(Clock clock, long patienceNanos) {
        this.clock = clock;
        this.patienceNanos = patienceNanos;
    }

    interface Attempt {
        void run() throws IOException;
    }

    /**
     * Returns true when an attempt has succeeded.
     *
     * @param goesOn told of the last failure, now and then; false to stop trying
     * @return false if stopped
     * @throws IOException the last failure, when the patience is over
     */
    boolean run(Attempt attempt, Predicate<IOException> goesOn) throws IOException {
        long firstFailureNanos = 0;
        for (int tries = 1; ; tries++) {
            try {
                attempt.run();
                return true;
            } catch (IOException e) {
                long now = clock.monotonicNanos();
                firstFailureNanos = tries == 1 ? now : firstFailureNanos;
                if (tries >= TRIES && now - firstFailureNanos >= patienceNanos) {
                    throw e;
                }
                if (!pause(e, goesOn)) {
                    return false;
                }
            }
        }
    }

    private synchronized boolean pause(IOException reason, Predicate<IOException> goesOn)
            throws IOException {
        long end = clock.monotonicNanos() + PAUSE_NANOS;
        for (long now = clock.monotonicNanos(); now < end; now = clock.monotonicNanos()) {
            if (!goesOn.test(reason)) {
                return false;
            }
            try {
                clock.waitOn(this, Math.min(end - now, REPORT_NANOS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw reason;
            }
        }
        return true;
    }
}
