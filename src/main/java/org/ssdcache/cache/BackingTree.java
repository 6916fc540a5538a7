package org.ssdcache.cache;

import java.io.IOException;

/**
 * What the cache needs of the backing directory as a whole.
 *
 * @param sync makes everything written to it durable (syncfs)
 * @param lock keeps others out of it while it lacks what the cache has
 */
public record BackingTree(Sync sync, Lock lock) {
    /** Makes everything written to the backing directory so far durable. */
    @FunctionalInterface
    public interface Sync {
        void run() throws IOException;
    }

    /** Keeps others out of the backing directory while the cache holds what it lacks (I12). */
    public interface Lock {
        /** Keeps nobody out. */
        Lock NONE =
                new Lock() {
                    @Override
                    public void lock() {}

                    @Override
                    public void unlock() {}
                };

        /** Returns when the lock is durable; nothing happens if it is locked. */
        void lock() throws IOException;

        void unlock() throws IOException;
    }
}
