package org.ssdcache.cleaner;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.ssdcache.io.Clock;

/**
 * What failed, and when it is tried again: after a second, then after twice as long as the last
 * time, up to five minutes.
 *
 * @param <K> what can fail
 */
final class Backoff<K> {
    static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final long LONGEST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private record Failure(long pauseNanos, long untilNanos) {}

    private final Clock clock;

    @GuardedBy("this")
    private final Map<K, Failure> failures = new HashMap<>();

    @GuardedBy("this")
    private String lastError;

    Backoff(Clock clock) {
        this.clock = clock;
    }

    /**
     * Returns whether this is the first failure since the last success.
     *
     * @param error for people to read
     */
    synchronized boolean failed(K key, String error) {
        Failure before = failures.get(key);
        long pause =
                before == null
                        ? FIRST_PAUSE_NANOS
                        : Math.min(2 * before.pauseNanos(), LONGEST_PAUSE_NANOS);
        failures.put(key, new Failure(pause, clock.monotonicNanos() + pause));
        lastError = error;
        return before == null;
    }

    /** Returns whether it had failed before. */
    synchronized boolean succeeded(K key) {
        boolean had = failures.remove(key) != null;
        if (failures.isEmpty()) {
            lastError = null;
        }
        return had;
    }

    /** Whether it is to be left alone at present. */
    synchronized boolean isHeldBack(K key) {
        Failure failure = failures.get(key);
        return failure != null && clock.monotonicNanos() < failure.untilNanos();
    }

    /** Forgets whatever is not worth knowing about any more. */
    synchronized void forgetUnless(Predicate<K> isOfInterest) {
        failures.keySet().removeIf(isOfInterest.negate());
        if (failures.isEmpty()) {
            lastError = null;
        }
    }

    synchronized int count() {
        return failures.size();
    }

    /** The last error, as long as anything is failing. */
    synchronized Optional<String> lastError() {
        return Optional.ofNullable(lastError);
    }
}
