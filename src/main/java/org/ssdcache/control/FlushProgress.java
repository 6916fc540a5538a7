package org.ssdcache.control;

import java.util.Optional;

/**
 * How far a flush is.
 *
 * @param doneBlocks blocks that are clean now and were not when it began
 * @param totalBlocks blocks that were dirty when it began
 * @param doneBytes what {@code doneBlocks} hold
 * @param totalBytes what {@code totalBlocks} hold
 * @param error why blocks cannot be brought home, for people, as long as some cannot
 */
public record FlushProgress(
        long doneBlocks,
        long totalBlocks,
        long doneBytes,
        long totalBytes,
        Optional<String> error) {

    /** The same with something that fails at the moment. */
    public FlushProgress failing(String reason) {
        return new FlushProgress(
                doneBlocks, totalBlocks, doneBytes, totalBytes, Optional.of(reason));
    }

    /** Told how a flush goes on, by one thread at a time. */
    @FunctionalInterface
    public interface Listener {
        /** Whoever does not care how it goes on, and wants it to be done. */
        Listener NONE = progress -> true;

        /**
         * The flush is this far.
         *
         * @return false when nobody waits for its end any more, so that it should stop soon
         */
        boolean report(FlushProgress progress);
    }
}
