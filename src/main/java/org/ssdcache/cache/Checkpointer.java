package org.ssdcache.cache;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.ssdcache.background.BackgroundTask;
import org.ssdcache.io.Clock;
import org.ssdcache.store.BlockStore;

/**
 * Folds the journal into the tables and the index image, in the background. Never waits for a
 * writer or for the slow disk, because writers wait for it when the journal is full: intents that
 * are still alive are recorded again behind the cut.
 */
final class Checkpointer {
    private static final long JOURNAL_PERIOD_MILLIS = 100;
    private static final long CHECK_PERIOD_MILLIS = 1000;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final double JOURNAL_FILL = 0.5;

    private final BlockStore store;
    private final WriteIntents intents;
    private final IndexImage image;
    private final DirtyState dirty;
    private final CacheHealth health;
    private final Clock clock;
    private final BackgroundTask journalTask;
    private final BackgroundTask checkpointTask;
    private long lastNanos;

    Checkpointer(
            BlockStore store,
            WriteIntents intents,
            IndexImage image,
            DirtyState dirty,
            CacheHealth health,
            Clock clock) {
        this.store = store;
        this.intents = intents;
        this.image = image;
        this.dirty = dirty;
        this.health = health;
        this.clock = clock;
        this.lastNanos = clock.monotonicNanos();
        this.journalTask = new BackgroundTask("journal", JOURNAL_PERIOD_MILLIS, this::writeJournal);
        this.checkpointTask =
                new BackgroundTask("checkpoint", CHECK_PERIOD_MILLIS, this::checkpointIfDue);
    }

    void start() {
        journalTask.start();
        checkpointTask.start();
    }

    void stop() {
        journalTask.close();
        checkpointTask.close();
    }

    /** The journal is getting full: somebody may be waiting for room in it. */
    void wake() {
        checkpointTask.wake();
    }

    /** What the journal holds in memory survives a killed daemon once it is written. */
    private void writeJournal() {
        if (health.hasFailed()) {
            return;
        }
        try {
            store.writeJournal();
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }

    private void checkpointIfDue() {
        boolean full = store.journalFill() >= JOURNAL_FILL;
        boolean old =
                clock.monotonicNanos() - lastNanos >= INTERVAL_NANOS && store.journalFill() > 0;
        if (!health.hasFailed() && (full || old)) {
            checkpoint(false);
        }
    }

    /**
     * One checkpoint, in the calling thread.
     *
     * @param last nothing changes any more, so the index image may be trusted at the next mount
     */
    synchronized void checkpoint(boolean last) {
        try {
            long cut = store.cutJournal();
            intents.recordAgain();
            store.checkpoint(cut);
            image.write(store.checkpointSequence(), last && !dirty.isAny());
            lastNanos = clock.monotonicNanos();
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }
}
