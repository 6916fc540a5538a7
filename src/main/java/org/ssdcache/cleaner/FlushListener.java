package org.ssdcache.cleaner;

/** Told how a flush goes on, after each batch and at least every second. */
@FunctionalInterface
public interface FlushListener {
    /**
     * The flush is this far.
     *
     * @param doneBlocks blocks that are at home, of those that were dirty when it began
     * @return false to stop the flush soon; what is clean by then stays clean
     */
    boolean report(long doneBlocks, long totalBlocks, long doneBytes, long totalBytes);
}
