package org.ssdcache.cache;

import java.io.IOException;

/** What the write path needs of the cleaner, which is a layer above. */
public interface CleaningService {
    /**
     * A write is about to make blocks dirty. Waits, the longer the fuller the cache is of dirty
     * blocks, so that there is always a clean block to evict. The caller holds no lock.
     */
    void beforeDirty(int blocks);

    /** A block became dirty; returns at once. */
    void dirtied();

    /**
     * Brings a range of blocks home now: returns when none of it is dirty that was at the call. The
     * caller holds no lock.
     *
     * @throws IOException if the backing refuses; the blocks stay dirty
     */
    void cleanNow(int file, int firstBlock, int lastBlock) throws IOException;
}
