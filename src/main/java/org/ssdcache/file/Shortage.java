package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Where those who run short of descriptors meet the thread that makes the kernel forget inodes. */
final class Shortage {
    /**
     * A request waits no longer for room: the kernel may hold a directory's lock for it, which it
     * needs itself to forget a name there.
     */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition reported = lock.newCondition();
    private final Condition relief = lock.newCondition();

    @GuardedBy("lock")
    private boolean pending;

    @GuardedBy("lock")
    private boolean stopped;

    /** More descriptors are open than there should be. */
    void report() {
        lock.lock();
        try {
            pending = true;
            reported.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the next report; false when there will be none. */
    boolean awaitReport() {
        lock.lock();
        try {
            while (!pending && !stopped) {
                reported.awaitUninterruptibly();
            }
            pending = false;
            return !stopped;
        } finally {
            lock.unlock();
        }
    }

    void stop() {
        lock.lock();
        try {
            stopped = true;
            reported.signalAll();
            relief.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits a moment for relief, unless nobody provides it. */
    void awaitRelief(BooleanSupplier relieved) {
        lock.lock();
        try {
            long leftNanos = PATIENCE_NANOS;
            while (leftNanos > 0 && !stopped && !relieved.getAsBoolean()) {
                leftNanos = relief.awaitNanos(leftNanos);
            }
        } catch (InterruptedException e) {
            // Patience is over earlier; the flag is for whoever interrupted.
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** There is room again. */
    void relieved() {
        lock.lock();
        try {
            relief.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
