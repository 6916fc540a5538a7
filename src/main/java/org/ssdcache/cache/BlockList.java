package org.ssdcache.cache;

/**
 * Blocks of files, in the order of file number and block.
 *
 * @param keys one for each block: the file's number in the upper half, the block's in the lower
 */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
public record BlockList(long[] keys) {
    public int size() {
        return keys.length;
    }

    /** The number of the file of entry i. */
    public int file(int i) {
        return (int) (keys[i] >>> Integer.SIZE);
    }

    /** The block of entry i. */
    public int block(int i) {
        return (int) keys[i];
    }

    /** The key of a block; orders as the list does. */
    public static long key(int file, int block) {
        return (long) file << Integer.SIZE | block;
    }
}
