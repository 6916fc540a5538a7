package org.ssdcache.cache;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.background.BackgroundTask;
import org.ssdcache.io.Clock;
import org.ssdcache.store.BlockStore;

/**
 * Looks after what is dirty, in the background: makes it durable every few seconds even if nobody
 * asks (as filesystems do), settles files whose blocks are all home, and unlocks the backing
 * directory when nothing is dirty any more.
 */
final class DirtyKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(DirtyKeeper.class);
    private static final long PERIOD_MILLIS = 1000;

    /** ext4's own default. */
    private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final BlockStore store;
    private final BlockMap map;
    private final PendingFiles pending;
    private final DirtySlots dirty;
    private final DirtyState state;
    private final DirtyGuard guard;
    private final BlockLocks locks;
    private final PendingLease lease;
    private final DirtyBlocks source;
    private final CacheHealth health;
    private final Clock clock;
    private final BackgroundTask task;
    private long lastCommitNanos;

    /**
     * How long nothing is settled in the background after a failure; 0 if the last try was good.
     */
    private long settlePauseNanos;

    private long settleFailedNanos;

    /** Whether the last try to unlock the backing directory failed: that is told once. */
    private volatile boolean unlockFails;

    DirtyKeeper(
            BlockStore store,
            BlockMap map,
            PendingFiles pending,
            DirtySlots dirty,
            DirtyState state,
            DirtyGuard guard,
            BlockLocks locks,
            PendingLease lease,
            DirtyBlocks source,
            CacheHealth health,
            Clock clock) {
        this.store = store;
        this.map = map;
        this.pending = pending;
        this.dirty = dirty;
        this.state = state;
        this.guard = guard;
        this.locks = locks;
        this.lease = lease;
        this.source = source;
        this.health = health;
        this.clock = clock;
        this.lastCommitNanos = clock.monotonicNanos();
        this.task = new BackgroundTask("dirty-keeper", PERIOD_MILLIS, this::run);
    }

    void start() {
        task.start();
    }

    void stop() {
        task.close();
    }

    private void run() {
        if (health.hasFailed()) {
            return;
        }
        if (clock.monotonicNanos() - lastCommitNanos >= COMMIT_NANOS) {
            commit();
            lastCommitNanos = clock.monotonicNanos();
        }
        settleWhenDue();
        openGuard();
    }

    /** What fails is tried again after longer and longer pauses, and told of once. */
    private void settleWhenDue() {
        long now = clock.monotonicNanos();
        if (settlePauseNanos != 0 && now - settleFailedNanos < settlePauseNanos) {
            return;
        }
        IOException failure = settleIdle(number -> true);
        if (failure == null && settlePauseNanos != 0) {
            LOG.info("All files could be brought up to date on the backing again");
        } else if (failure != null && settlePauseNanos == 0) {
            LOG.error("A file cannot be brought up to date on the backing; it is tried again");
            LOG.warn("It failed here", failure);
        }
        settleFailedNanos = now;
        settlePauseNanos = failure == null ? 0 : nextPauseNanos();
    }

    private long nextPauseNanos() {
        return Math.min(LONGEST_PAUSE_NANOS, Math.max(FIRST_PAUSE_NANOS, 2 * settlePauseNanos));
    }

    private void commit() {
        try {
            if (state.isAny()) {
                lease.ensure();
            }
            pending.recordAll();
            if (store.lastSequence() > store.durableSequence() && state.isAny()) {
                store.sync();
                map.releaseDurable();
            }
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }

    /** Lengths and times of all files are on record when the cache is closed. */
    void recordAll() {
        try {
            pending.recordAll();
            lease.end();
            openGuard();
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }

    /**
     * Settles the files of which nothing is dirty.
     *
     * @param numbers which of them
     * @return the last failure, or null
     */
    IOException settleIdle(IntPredicate numbers) {
        IOException failure = null;
        for (PendingFile file : pending.all()) {
            boolean isIdle = dirty.countOf(file.number()) == 0 && !file.isDoomed();
            if (isIdle && numbers.test(file.number())) {
                try {
                    settle(file.number());
                } catch (IOException e) {
                    failure = e;
                }
            }
        }
        return failure;
    }

    private void settle(int file) throws IOException {
        try (CleaningFile cleaning = source.begin(file)) {
            if (cleaning != null) {
                int unused = cleaning.finish();
            }
        }
    }

    /** Unlocks the backing directory if nothing is dirty. */
    void openGuard() {
        try {
            guard.tryOpen(locks, state::isAny);
            unlockFails = false;
        } catch (IOException e) {
            if (!unlockFails) {
                LOG.error("the backing directory cannot be unlocked; it is tried again", e);
            }
            unlockFails = true;
        }
    }
}
