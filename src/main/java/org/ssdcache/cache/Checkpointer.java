package org.ssdcache.cache;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.io.Clock;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;
import org.ssdcache.store.BlockStore;

/**
 * Folds the journal into the tables and the index image, in the background, and with that ends an
 * interval of write intents. The order is what I9 rests on: end the interval, wait for its changes
 * under way, sync the backing, note what its files are like now, and only then forget the intents.
 */
final class Checkpointer {
    /** Makes everything written to the backing directory so far durable. */
    @FunctionalInterface
    interface BackingSync {
        void run() throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);
    private static final long JOURNAL_PERIOD_MILLIS = 100;
    private static final long CHECK_PERIOD_MILLIS = 1000;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final double JOURNAL_FILL = 0.5;

    private final BlockStore store;
    private final WriteIntents intents;
    private final FileRecords records;
    private final IndexImage image;
    private final BackingSync backing;
    private final CacheHealth health;
    private final Counters counters;
    private final Clock clock;
    private final BackgroundTask journalTask;
    private final BackgroundTask checkpointTask;
    private long lastNanos;

    Checkpointer(
            BlockStore store,
            WriteIntents intents,
            FileRecords records,
            IndexImage image,
            BackingSync backing,
            CacheHealth health,
            Counters counters,
            Clock clock) {
        this.store = store;
        this.intents = intents;
        this.records = records;
        this.image = image;
        this.backing = backing;
        this.health = health;
        this.counters = counters;
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
     * @return whether the backing has everything that the cache shows
     */
    synchronized boolean checkpoint(boolean last) {
        try {
            WriteIntents.Ended ended = intents.endInterval();
            ended.interval().awaitQuiet();
            boolean synced = ended.interval().isEmpty() || syncBacking(ended.interval());
            store.checkpoint(ended.journalCut());
            image.write(store.checkpointSequence(), last && synced);
            lastNanos = clock.monotonicNanos();
            return synced;
        } catch (IOException e) {
            health.journalFailed(e);
            return false;
        }
    }

    private boolean syncBacking(WriteIntents.Interval interval) throws IOException {
        try {
            backing.run();
            for (int file : interval.files()) {
                records.refresh(file);
            }
            return true;
        } catch (IOException e) {
            counters.add(Counter.BACKING_ERRORS, 1);
            LOG.error("the backing directory cannot be synced; it is tried again", e);
            intents.carryOver(interval);
            return false;
        }
    }
}
