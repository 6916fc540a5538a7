package org.ssdcache.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.ssdcache.io.Clock;
import org.ssdcache.store.BlockStore;

/**
 * Says durably, a while ahead, until when this daemon may change backing files that have dirty
 * blocks. After a crash such a file whose time of change lies within the lease was changed by the
 * daemon itself; one that was changed later is a conflict (I6).
 */
final class PendingLease {
    static final long AHEAD_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long MARGIN_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final BlockStore store;
    private final Clock clock;

    private volatile long untilNanos;

    @GuardedBy("this")
    private boolean used;

    PendingLease(BlockStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Returns when the lease covers the next seconds; syncs the journal every now and then. */
    void ensure() throws IOException {
        if (clock.wallNanos() + MARGIN_NANOS > untilNanos) {
            extend();
        }
    }

    private synchronized void extend() throws IOException {
        long now = clock.wallNanos();
        if (now + MARGIN_NANOS <= untilNanos) {
            return;
        }
        long until = now + AHEAD_NANOS;
        store.extendPendingLease(until);
        store.sync();
        untilNanos = until;
        used = true;
    }

    /** Ends the lease: what changes from now on was not changed by this daemon. */
    synchronized void end() throws IOException {
        if (used) {
            untilNanos = 0;
            store.extendPendingLease(0);
        }
    }
}
