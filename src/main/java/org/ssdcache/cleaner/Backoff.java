package org.ssdcache.cleaner;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    /**
     * What is known of one.
     *
     * @param times in a row that it failed
     * @param error the last one, for people
     * @param order of all failures, the last has the greatest
     */
    private record Failure(int times, long pauseNanos, long untilNanos, String error, long order) {}

    private final Clock clock;

    @GuardedBy("this")
    private final Map<K, Failure> failures = new HashMap<>();

    @GuardedBy("this")
    private long lastOrder;

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
        int times = before == null ? 1 : before.times() + 1;
        long until = clock.monotonicNanos() + pause;
        failures.put(key, new Failure(times, pause, until, error, ++lastOrder));
        return before == null;
    }

    /** Returns whether it had failed before. */
    synchronized boolean succeeded(K key) {
        return failures.remove(key) != null;
    }

    /** How often it failed since its last success. */
    synchronized int timesFailed(K key) {
        Failure failure = failures.get(key);
        return failure == null ? 0 : failure.times();
    }

    /** Whether it is to be left alone at present. */
    synchronized boolean isHeldBack(K key) {
        Failure failure = failures.get(key);
        return failure != null && clock.monotonicNanos() < failure.untilNanos();
    }

    /** Forgets whatever is not worth knowing about any more. */
    synchronized void forgetUnless(Predicate<K> isOfInterest) {
        failures.keySet().removeIf(isOfInterest.negate());
    }

    synchronized int count() {
        return failures.size();
    }

    /** Everything that fails at present. */
    synchronized Set<K> keys() {
        return new HashSet<>(failures.keySet());
    }

    /** The last error of those that are of interest and fail at present. */
    synchronized Optional<String> lastError(Predicate<K> isOfInterest) {
        return failures.entrySet().stream()
                .filter(entry -> isOfInterest.test(entry.getKey()))
                .map(Map.Entry::getValue)
                .max(Comparator.comparingLong(Failure::order))
                .map(Failure::error);
    }
}
