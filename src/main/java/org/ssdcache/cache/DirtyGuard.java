package org.ssdcache.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;

/**
 * Keeps the backing directory locked while it lacks what the cache has (I12): whoever makes the
 * first block dirty has it locked before, and it is unlocked when everything is home.
 */
final class DirtyGuard {
    private final BackingTree.Lock lock;

    private volatile boolean closed;

    @GuardedBy("this")
    private boolean locked;

    DirtyGuard(BackingTree.Lock lock) {
        this.lock = lock;
    }

    /** Whether blocks may become dirty; asked under the lock of the block that is about to. */
    boolean isClosed() {
        return closed;
    }

    /**
     * Locks the backing directory; takes as long as the slow disk needs. Holds no lock of blocks.
     */
    synchronized void close() throws IOException {
        if (!closed) {
            lock.lock();
            locked = true;
            closed = true;
        }
    }

    /** Brings the lock in line with what the last mount left. */
    synchronized void inherit(boolean isDirty) throws IOException {
        if (isDirty) {
            close();
        } else {
            lock.unlock();
        }
    }

    /** Whether something became dirty after {@link #tryOpen} had said that nothing may. */
    interface StillDirty {
        boolean isAny();
    }

    /**
     * Unlocks the backing directory if nothing is dirty.
     *
     * @param locks let everybody through who has seen the guard closed
     */
    synchronized void tryOpen(BlockLocks locks, StillDirty dirty) throws IOException {
        if (!locked || dirty.isAny()) {
            return;
        }
        closed = false;
        locks.barrier();
        if (dirty.isAny()) {
            closed = true;
            return;
        }
        lock.unlock();
        locked = false;
    }
}
