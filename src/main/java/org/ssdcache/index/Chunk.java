package org.ssdcache.index;

import java.util.Arrays;
import org.ssdcache.block.MappingSink;

/**
 * The mapped blocks among {@value #BLOCKS} neighbours of a file, as one value of the image: eight
 * ints that have a bit for each block, then slot and valid pages of each block that is there.
 */
final class Chunk {
    static final int BLOCKS = 256;

    private static final int BITMAP_INTS = BLOCKS / Integer.SIZE;

    private Chunk() {}

    static long key(int file, int chunk) {
        return ((long) file << Integer.SIZE) | chunk;
    }

    static int fileOf(long key) {
        return (int) (key >> Integer.SIZE);
    }

    /** The chunk as the index has it; null if none of its blocks is mapped. */
    static int[] encode(int file, int chunk, BlockIndex source) {
        int[] value = new int[BITMAP_INTS + 2 * BLOCKS];
        int end = BITMAP_INTS;
        for (int i = 0; i < BLOCKS; i++) {
            int slot = source.lookupLocked(file, chunk * BLOCKS + i);
            int pages = slot == BlockIndex.NONE ? 0 : source.validPages(slot);
            if (pages != 0) {
                value[i / Integer.SIZE] |= 1 << (i % Integer.SIZE);
                value[end++] = slot;
                value[end++] = pages;
            }
        }
        return end == BITMAP_INTS ? null : Arrays.copyOf(value, end);
    }

    /** Whether a value has the length that its bitmap says. */
    static boolean isSound(int[] value) {
        if (value.length < BITMAP_INTS) {
            return false;
        }
        int blocks = 0;
        for (int i = 0; i < BITMAP_INTS; i++) {
            blocks += Integer.bitCount(value[i]);
        }
        return value.length == BITMAP_INTS + 2 * blocks;
    }

    static void decode(long key, int[] value, MappingSink sink) {
        int file = fileOf(key);
        int firstBlock = (int) key * BLOCKS;
        int at = BITMAP_INTS;
        for (int i = 0; i < BLOCKS; i++) {
            if ((value[i / Integer.SIZE] & (1 << (i % Integer.SIZE))) != 0) {
                sink.slot(value[at], file, firstBlock + i, value[at + 1], 0);
                at += 2;
            }
        }
    }
}
