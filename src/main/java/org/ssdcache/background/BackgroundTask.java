package org.ssdcache.background;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one way to run something in the background: a named thread that does its step whenever it is
 * woken or its period is over, and stops when told. Threads are never interrupted, since an
 * interrupt closes the channel of whoever is in I/O.
 */
public final class BackgroundTask implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundTask.class);

    private final Runnable step;
    private final long periodNanos;
    private final Thread thread;

    @GuardedBy("this")
    private boolean woken;

    @GuardedBy("this")
    private boolean stopped;

    public BackgroundTask(String name, long periodMillis, Runnable step) {
        this.step = step;
        this.periodNanos = TimeUnit.MILLISECONDS.toNanos(periodMillis);
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** The step is run soon, if it is not running already once more after it. */
    public synchronized void wake() {
        woken = true;
        notifyAll();
    }

    /** Waits for the step under way and ends the thread. */
    @Override
    public void close() {
        synchronized (this) {
            stopped = true;
            notifyAll();
        }
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (awaitTurn()) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                LOG.error("{} failed; it goes on with its next turn", thread.getName(), e);
            }
        }
    }

    /** Returns false when the task is to end. */
    private synchronized boolean awaitTurn() {
        long deadline = System.nanoTime() + periodNanos;
        while (!stopped && !woken) {
            long leftNanos = deadline - System.nanoTime();
            if (leftNanos <= 0) {
                break;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, leftNanos);
            } catch (InterruptedException e) {
                LOG.warn("{} was interrupted, which nobody should do", thread.getName());
            }
        }
        woken = false;
        return !stopped;
    }
}
