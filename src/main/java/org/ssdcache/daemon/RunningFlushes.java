package org.ssdcache.daemon;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import org.ssdcache.control.FlushProgress;

/** Flushes that people wait for. They use the cache, so they end before it is closed. */
final class RunningFlushes implements Closeable {
    @GuardedBy("this")
    private int running;

    @GuardedBy("this")
    private boolean closing;

    /**
     * One flush begins; {@link #ended} must follow.
     *
     * @return false when it is too late to begin
     */
    synchronized boolean begin() {
        if (closing) {
            return false;
        }
        running++;
        return true;
    }

    synchronized void ended() {
        running--;
        notifyAll();
    }

    private synchronized boolean goesOn() {
        return !closing;
    }

    /** The same listener, which also stops the flush when it is time to close. */
    FlushProgress.Listener watched(FlushProgress.Listener listener) {
        return progress -> goesOn() && listener.report(progress);
    }

    /** Stops all flushes and returns when they have ended. */
    @Override
    public synchronized void close() {
        closing = true;
        try {
            while (running > 0) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }
}
