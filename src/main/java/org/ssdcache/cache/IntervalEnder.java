package org.ssdcache.cache;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.background.BackgroundTask;
import org.ssdcache.io.Clock;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;

/**
 * Ends intervals of write intents. The order is what I9 rests on: end the interval, wait for its
 * changes under way, sync the backing, note what its files are like now, and only then forget its
 * intents. May wait for the slow disk as long as it takes: nobody waits for this thread but changes
 * of more files than an interval can hold.
 */
final class IntervalEnder {
    private static final Logger LOG = LoggerFactory.getLogger(IntervalEnder.class);
    private static final long CHECK_PERIOD_MILLIS = 1000;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final WriteIntents intents;
    private final FileRecords records;
    private final PendingFiles pending;
    private final Resizing resizing;
    private final BackingTree.Sync backing;
    private final Counters counters;
    private final Clock clock;
    private final BackgroundTask task;
    private volatile boolean endSoon;
    private volatile long lastNanos;

    IntervalEnder(
            WriteIntents intents,
            FileRecords records,
            PendingFiles pending,
            Resizing resizing,
            BackingTree.Sync backing,
            Counters counters,
            Clock clock) {
        this.intents = intents;
        this.records = records;
        this.pending = pending;
        this.resizing = resizing;
        this.backing = backing;
        this.counters = counters;
        this.clock = clock;
        this.lastNanos = clock.monotonicNanos();
        this.task = new BackgroundTask("intervals", CHECK_PERIOD_MILLIS, this::endIfDue);
        intents.onManyMarks(this::endSoon);
    }

    void start() {
        task.start();
    }

    void stop() {
        task.close();
    }

    private void endSoon() {
        endSoon = true;
        task.wake();
    }

    private void endIfDue() {
        boolean old = clock.monotonicNanos() - lastNanos >= INTERVAL_NANOS;
        if ((old || endSoon) && !(intents.isIdle() && pending.doomed().isEmpty())) {
            end();
        }
    }

    /**
     * Ends the interval now, in the calling thread.
     *
     * @return whether the backing has everything that was changed until now
     */
    synchronized boolean end() {
        endSoon = false;
        lastNanos = clock.monotonicNanos();
        Interval interval = intents.endInterval();
        interval.awaitQuiet();
        List<PendingFile> doomed = pending.doomed();
        try {
            if (interval.isEmpty() && doomed.isEmpty()) {
                return true;
            }
            backing.run();
            doomed.forEach(records::dropDoomed);
            for (int file : interval.files()) {
                records.refresh(file);
            }
            return true;
        } catch (IOException | RuntimeException e) {
            counters.add(Counter.BACKING_ERRORS, 1);
            LOG.error("the backing directory could not be synced", e);
            for (int file : interval.files()) {
                distrust(file);
            }
            return false;
        } finally {
            intents.retire();
        }
    }

    /**
     * The kernel tells of a failed write once and then takes the pages for clean, so a later sync
     * that succeeds says nothing about them: what is cached of the file may be more than the
     * backing will ever have.
     */
    private void distrust(int number) {
        CachedFile file = records.openFile(number);
        if (file == null) {
            records.dropIfClosed(number);
            return;
        }
        try {
            resizing.distrust(file);
        } catch (IOException e) {
            LOG.error("{} cannot be asked for its size; nothing of it is cached any more", file, e);
        }
    }
}
