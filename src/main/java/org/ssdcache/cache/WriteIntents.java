package org.ssdcache.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.ssdcache.io.Clock;
import org.ssdcache.store.BlockStore;

/**
 * Which regions of which files were changed on the backing in this checkpoint interval.
 *
 * <p>Backing and SSD cannot be changed at one stroke. Before the first change of a region (64 MiB
 * of a file) in an interval, the region is recorded durably in the journal; after a crash the clean
 * blocks of recorded regions are dropped and all others stay warm (I9) without ever serving stale
 * bytes (I2). An interval ends when the backing has been synced after the last change of the
 * interval: from then on a power cut cannot take back what the cache has seen.
 *
 * <p>A file that gets its number because it is written needs no sync: its intent stands in the
 * journal before anything that maps one of its blocks, and a journal is replayed as a prefix. So
 * unpacking a thousand small files costs no thousand syncs.
 */
final class WriteIntents {
    /** How much of a file one intent covers. */
    static final long REGION_BYTES = BlockStore.INTENT_REGION_BYTES;

    /** File times may lag behind the clock by one tick of the kernel, at most this long. */
    private static final long CLOCK_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** A change of more regions than this is one of the whole file. */
    private static final int MAX_REGIONS = 16;

    /** Two intervals of this many marks fit into the journal's reserve for checkpoints. */
    private static final int MAX_MARKS = 1 << 16;

    private static final int MARK_SHARE = 512;

    /**
     * While this daemon lives it says, this far ahead, until when it may change files. Short, since
     * after a crash a foreign change within the lease is taken for its own.
     */
    static final long LEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** A change under way; closed when backing and slots agree again. */
    final class Change implements AutoCloseable {
        private final Interval interval;

        private Change(Interval interval) {
            this.interval = interval;
        }

        /** A change that took longer than the lease is covered by a new one. */
        @Override
        public void close() {
            extendLease(0);
            interval.leave();
        }
    }

    private final BlockStore store;
    private final FileRecords records;
    private final CacheHealth health;
    private final Clock clock;
    private final int maxMarks;

    /** Changes begin in this interval. */
    private volatile Interval current = new Interval();

    /** Its changes are over or nearly so, but the backing may still lose them; else null. */
    @GuardedBy("this")
    private Interval ending;

    private volatile Runnable onManyMarks = () -> {};
    private volatile long leaseNanos;

    WriteIntents(BlockStore store, FileRecords records, CacheHealth health, Clock clock) {
        this.store = store;
        this.records = records;
        this.health = health;
        this.clock = clock;
        this.maxMarks = (int) Math.min(MAX_MARKS, store.geometry().journalBytes() / MARK_SHARE);
    }

    /**
     * What the last mount changed without an end of its interval counts as changed in this one. To
     * be called before anything is served: from then on blocks are cached again that the backing
     * may still lose.
     */
    void inherit() throws IOException {
        store.forEachIntentAtOpen(current::marking);
        store.forEachIntentAtOpen(current::marked);
        recordAgain();
    }

    /** Who is to end the interval early when it has become large. */
    void onManyMarks(Runnable action) {
        onManyMarks = action;
    }

    /** Announces a change of a byte range; returns when it may be made. */
    Change begin(CachedFile file, long offsetBytes, long lengthBytes) {
        long first = offsetBytes / REGION_BYTES;
        long last = (offsetBytes + Math.max(lengthBytes, 1) - 1) / REGION_BYTES;
        if (last - first >= MAX_REGIONS) {
            return beginWholeFile(file);
        }
        return begin(file, (int) first, (int) last);
    }

    /** Announces a change that may concern all of the file. */
    Change beginWholeFile(CachedFile file) {
        return begin(file, BlockStore.WHOLE_FILE, BlockStore.WHOLE_FILE);
    }

    /**
     * Ends the interval: changes from now on belong to the next one. To be followed by {@link
     * #retire}.
     */
    synchronized Interval endInterval() {
        assert ending == null : "one interval ends at a time";
        ending = current;
        current = new Interval();
        notifyAll();
        return ending;
    }

    /** The backing cannot lose changes of the ended interval any more: it may be forgotten. */
    synchronized void retire() {
        ending = null;
    }

    /** The file lost its number; the number's next file has no intent yet. */
    synchronized void forget(int file) {
        current.forget(file);
        if (ending != null) {
            ending.forget(file);
        }
    }

    /** No change is under way or waits for its interval's end. */
    synchronized boolean isIdle() {
        return ending == null && current.isEmpty();
    }

    /**
     * Records every live intent again, durably. A checkpoint does this after its cut, because the
     * records before the cut are about to go.
     */
    void recordAgain() throws IOException {
        Interval[] live;
        synchronized (this) {
            live = ending == null ? new Interval[] {current} : new Interval[] {ending, current};
        }
        boolean any = false;
        for (Interval interval : live) {
            for (int file : interval.files()) {
                boolean settled = records.isSettled(file);
                for (int region : interval.regionsOf(file)) {
                    if (settled) {
                        store.intentKept(file, region);
                    } else {
                        store.writeIntended(file, region);
                    }
                    any = true;
                }
            }
        }
        if (any) {
            store.sync();
        }
    }

    private Change begin(CachedFile file, int firstRegion, int lastRegion) {
        awaitRoom();
        Interval interval = enter();
        extendLease(LEASE_NANOS / 2);
        if (!health.hasFailed()) {
            try {
                mark(interval, file, firstRegion, lastRegion);
            } catch (IOException e) {
                health.journalFailed(e);
            }
        }
        if (health.hasFailed()) {
            awaitLeaseEnd();
        }
        return new Change(interval);
    }

    /**
     * Live intents are recorded again at every checkpoint, so there must not be too many of them.
     * Waits, before anything is locked, until a large interval has ended, which takes as long as
     * the slow disk needs for the changes of the one before.
     */
    private void awaitRoom() {
        if (current.size() < maxMarks || health.hasFailed()) {
            return;
        }
        synchronized (this) {
            while (current.size() >= maxMarks && !health.hasFailed()) {
                onManyMarks.run();
                try {
                    wait(TimeUnit.SECONDS.toMillis(1));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private Interval enter() {
        while (true) {
            Interval interval = current;
            interval.enter();
            if (interval == current) {
                return interval;
            }
            interval.leave();
        }
    }

    private void mark(Interval interval, CachedFile file, int firstRegion, int lastRegion)
            throws IOException {
        if (records.registerForWrite(file, interval::markWholeFile)) {
            // Not synced, but not lost either if only the daemon dies: then the backing may still
            // lose the change in a power cut, after the next mount has cached it.
            store.writeJournal();
            return;
        }
        int number = file.number();
        if (number == CachedFile.UNREGISTERED) {
            return;
        }
        boolean recorded = false;
        for (int region = firstRegion; region <= lastRegion; region++) {
            if (!interval.covers(number, region)) {
                interval.marking(number, region);
                store.writeIntended(number, region);
                recorded = true;
            }
        }
        if (recorded) {
            store.sync();
            for (int region = firstRegion; region <= lastRegion; region++) {
                interval.marked(number, region);
            }
        }
    }

    /**
     * A change that is on no record must not be taken for a recorded one after a crash, so its
     * ctime has to lie behind the lease. Waits a few milliseconds, once.
     */
    private void awaitLeaseEnd() {
        long until = leaseNanos + CLOCK_TICK_NANOS;
        if (clock.wallNanos() <= until) {
            clock.awaitWallNanos(until + 1);
        }
    }

    /** Renews the lease when less than the given time of it is left. */
    private void extendLease(long leftNanos) {
        long now = clock.wallNanos();
        if (now + leftNanos < leaseNanos || health.hasFailed()) {
            return;
        }
        try {
            long until = now + LEASE_NANOS;
            store.extendLease(until);
            leaseNanos = until;
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }
}
