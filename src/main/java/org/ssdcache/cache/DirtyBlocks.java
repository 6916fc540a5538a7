package org.ssdcache.cache;

import java.io.IOException;

/** The dirty blocks, as the cleaner sees them. May be called by many threads. */
public interface DirtyBlocks {
    int blockBytes();

    /** Blocks that the cache can hold. */
    int slotCount();

    int dirtyCount();

    /** How long ago the block was written that has been dirty for longest; 0 if none is. */
    long oldestAgeNanos();

    /**
     * The dirty blocks that were dirty for at least so long.
     *
     * @param minimumAgeNanos 0 means all of them
     */
    BlockList list(long minimumAgeNanos);

    /** Reads of the backing that applications are waiting for right now. */
    int foregroundReads();

    /** How many such reads there were since the mount. */
    long foregroundReadCount();

    /**
     * Begins to bring blocks of one file home.
     *
     * @return null if the file does not exist any more: its dirty blocks are given up
     * @throws IOException if the backing file cannot be opened now; its blocks stay dirty
     */
    CleaningFile begin(int file) throws IOException;
}
