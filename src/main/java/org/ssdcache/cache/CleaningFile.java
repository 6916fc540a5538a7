package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Some blocks of one file on their way home. Used by one thread: take blocks, write what they hold,
 * {@link #finish}, {@link #close}.
 *
 * <p>A block that was taken is claimed: a write to it through the cache goes on at once and lets
 * the block stay dirty; a write that goes to the backing directly, and a truncate, wait until the
 * claim is released.
 */
public interface CleaningFile extends AutoCloseable {
    /**
     * What a block held when it was taken.
     *
     * @param validPages pages whose bytes are in the buffer, a mask
     * @param dirtyPages those of them that the backing does not have; 0 for a clean block
     */
    record Taken(int validPages, int dirtyPages) {
        static final Taken NOTHING = new Taken(0, 0);
    }

    /**
     * Claims a block, dirty or clean, and copies its valid pages.
     *
     * @param target gets one whole block from its position on, which does not move; bytes of pages
     *     that are not valid are undefined
     * @return no valid pages if the block is not cached; it is not claimed then
     * @throws IOException if the cache cannot be read; the block is not claimed then
     */
    Taken take(int block, ByteBuffer target) throws IOException;

    /**
     * Writes bytes of taken blocks to the backing, cut off at the file's end.
     *
     * @throws IOException when the backing refuses: nothing of this batch becomes clean
     */
    void write(ByteBuffer source, long offsetBytes) throws IOException;

    /**
     * Syncs the backing file and then marks as clean, durably, the taken blocks that were not
     * written again meanwhile. All their dirty pages must have been written.
     *
     * @return how many blocks became clean
     * @throws IOException when the backing cannot be synced: nothing of this batch becomes clean,
     *     and the next sync of the file by an application tells of it
     */
    int finish() throws IOException;

    /** Releases all claims. */
    @Override
    void close();
}
