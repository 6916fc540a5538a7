package org.ssdcache.cleaner;

import java.io.IOException;
import java.util.Arrays;

/**
 * What one batch did.
 *
 * @param file number of its file
 * @param entries how many entries of the list it went through
 * @param dirtyBlocks blocks that it wrote home
 * @param cleanedBlocks how many of them became clean; the others were written again meanwhile
 * @param requests writes to the backing
 * @param bytes written to the backing, gaps included
 * @param nanos time in which the backing wrote and synced
 * @param unreadable ascending, blocks that stay dirty because the cache could not be read
 * @param unreadableReason the last reason; null if all could be read
 */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
record Batch(
        int file,
        int entries,
        int dirtyBlocks,
        int cleanedBlocks,
        int requests,
        long bytes,
        long nanos,
        int[] unreadable,
        IOException unreadableReason) {

    /** The file is gone, and its dirty blocks with it. */
    static Batch gone(int file, int entries) {
        return new Batch(file, entries, 0, 0, 0, 0, 0, new int[0], null);
    }

    boolean isUnreadable(int block) {
        return Arrays.binarySearch(unreadable, block) >= 0;
    }

    /**
     * What went wrong with the unreadable blocks, for people.
     *
     * @param fileName what people call the file
     */
    String unreadableSentence(String fileName) {
        return String.format(
                "The cache cannot read %d dirty blocks of %s: %s",
                unreadable.length, fileName, unreadableReason.getMessage());
    }

    @Override
    public String toString() {
        return String.format(
                "file %d: %d entries, %d dirty, %d cleaned, %d requests, %d bytes, %d ns, unreadable %s",
                file,
                entries,
                dirtyBlocks,
                cleanedBlocks,
                requests,
                bytes,
                nanos,
                Arrays.toString(unreadable));
    }
}
