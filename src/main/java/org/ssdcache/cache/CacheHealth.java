package org.ssdcache.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.io.Clock;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;

/**
 * How far the SSD is trusted. Its errors never fail a request that the backing can serve (I7); they
 * degrade the cache.
 *
 * <pre>
 *  NORMAL --slotFailed() x LIMIT within WINDOW--> RESTING --after REST--> NORMAL
 *  NORMAL, RESTING --journalFailed()--> FAILED   (until the next mount)
 * </pre>
 */
final class CacheHealth {
    /** What the cache does with the SSD. */
    enum State {
        /** Everything is cached. */
        NORMAL,
        /** Too many errors lately: the backing serves everything for a while. */
        RESTING,
        /** The journal cannot be written, so nothing may be promised any more. */
        FAILED
    }

    static final int LIMIT = 16;
    static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);
    static final long REST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final Logger LOG = LoggerFactory.getLogger(CacheHealth.class);

    private final Counters counters;
    private final Clock clock;
    private final boolean afterCrash;
    private volatile State state = State.NORMAL;

    @GuardedBy("this")
    private int errorsInWindow;

    @GuardedBy("this")
    private long windowStartNanos;

    @GuardedBy("this")
    private long restUntilNanos;

    /**
     * @param afterCrash whether the store was not closed well before it was opened
     */
    CacheHealth(Counters counters, Clock clock, boolean afterCrash) {
        this.counters = counters;
        this.clock = clock;
        this.afterCrash = afterCrash;
    }

    State state() {
        return state;
    }

    /** Whether slots may be read and filled now. */
    boolean usable() {
        State now = state;
        return now == State.NORMAL || (now == State.RESTING && rested());
    }

    /** Whether the journal is beyond use, so that nothing may be recorded any more. */
    boolean hasFailed() {
        return state == State.FAILED;
    }

    /**
     * Clean pages of a slot that was filled before this mount are not what their checksums say.
     * After a crash that is as it should be: bytes of a slot may be newer than its entry, whose
     * record was lost. Otherwise it is an error of the SSD.
     */
    void cleanPagesDiffer(int slot) {
        if (afterCrash) {
            LOG.debug("cache slot {}: its record was lost in a crash", slot);
        } else {
            slotFailed(slot, checksumMismatch());
        }
    }

    /** The bytes of a slot are not what was stored. */
    static IOException checksumMismatch() {
        return new IOException("its checksum does not match its bytes");
    }

    /** A slot could not be read or written, or did not hold what it should. */
    synchronized void slotFailed(int slot, Exception cause) {
        counters.add(Counter.SSD_ERRORS, 1);
        long now = clock.monotonicNanos();
        if (errorsInWindow == 0 || now - windowStartNanos > WINDOW_NANOS) {
            windowStartNanos = now;
            errorsInWindow = 0;
            LOG.warn("cache slot {}: {}; the backing serves its block", slot, cause.toString());
        }
        errorsInWindow++;
        if (errorsInWindow >= LIMIT && state == State.NORMAL) {
            state = State.RESTING;
            restUntilNanos = now + REST_NANOS;
            LOG.error(
                    "{} errors of the cache device in {} s; the backing serves everything for {} s",
                    errorsInWindow,
                    TimeUnit.NANOSECONDS.toSeconds(now - windowStartNanos),
                    TimeUnit.NANOSECONDS.toSeconds(REST_NANOS));
        }
    }

    /** The journal could not be written or made durable. */
    synchronized void journalFailed(Exception cause) {
        counters.add(Counter.SSD_ERRORS, 1);
        if (state != State.FAILED) {
            state = State.FAILED;
            LOG.error("the cache's journal failed; mount again to use the cache", cause);
        }
    }

    private synchronized boolean rested() {
        if (state == State.RESTING && clock.monotonicNanos() - restUntilNanos >= 0) {
            state = State.NORMAL;
            errorsInWindow = 0;
            LOG.info("the cache device is tried again");
        }
        return state == State.NORMAL;
    }
}
