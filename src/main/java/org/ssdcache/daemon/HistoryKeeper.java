package org.ssdcache.daemon;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.metrics.CounterHistory;

/** Feeds the windows of the statistics and saves them every minute and at the end. */
final class HistoryKeeper implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryKeeper.class);
    private static final long SAMPLE_MILLIS = 10_000;
    private static final int SAMPLES_PER_SAVE = 6;

    private final CounterHistory history;
    private final Path file;
    private final Runnable everyMinute;
    private final Thread thread = new Thread(this::run, "history");

    @GuardedBy("this")
    private boolean stopped;

    private HistoryKeeper(CounterHistory history, Path file, Runnable everyMinute) {
        this.history = history;
        this.file = file;
        this.everyMinute = everyMinute;
        thread.setDaemon(true);
    }

    /**
     * Begins.
     *
     * @param everyMinute what else is to be done then
     */
    static HistoryKeeper start(CounterHistory history, Path file, Runnable everyMinute) {
        HistoryKeeper keeper = new HistoryKeeper(history, file, everyMinute);
        keeper.thread.start();
        return keeper;
    }

    private void run() {
        int samples = 0;
        while (!waitForNextOrStop()) {
            history.sample();
            samples++;
            if (samples % SAMPLES_PER_SAVE == 0) {
                save();
                everyMinute.run();
            }
        }
    }

    private synchronized boolean waitForNextOrStop() {
        long end = System.nanoTime() + SAMPLE_MILLIS * 1_000_000;
        long leftMillis = SAMPLE_MILLIS;
        try {
            while (!stopped && leftMillis > 0) {
                wait(leftMillis);
                leftMillis = (end - System.nanoTime()) / 1_000_000;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
        return stopped;
    }

    private void save() {
        try {
            history.save(file);
        } catch (IOException e) {
            LOG.warn("The statistics could not be saved in {}: {}", file, e.getMessage());
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            stopped = true;
            notifyAll();
        }
        Threads.join(thread);
        save();
    }
}
