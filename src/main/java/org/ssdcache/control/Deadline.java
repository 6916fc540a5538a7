package org.ssdcache.control;

import java.time.Duration;

/**
 * The moment until which something as a whole may take, whatever its steps are.
 *
 * @param atNanos the end, as {@link System#nanoTime} counts
 */
public record Deadline(long atNanos) {
    /** Longer than anybody waits, and far from what {@link System#nanoTime} can hold. */
    private static final Duration LONGEST = Duration.ofDays(3650);

    /** So much time from now. */
    public static Deadline in(Duration time) {
        Duration allowed = time.compareTo(LONGEST) < 0 ? time : LONGEST;
        return new Deadline(System.nanoTime() + allowed.toNanos());
    }

    /** The time that is left, 0 when there is none. */
    public Duration remaining() {
        return Duration.ofNanos(Math.max(atNanos - System.nanoTime(), 0));
    }
}
