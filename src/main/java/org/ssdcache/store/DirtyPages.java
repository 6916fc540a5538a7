package org.ssdcache.store;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.ssdcache.block.BlockGeometry;

/** Where files have pages that the backing does not have, as a check finds them. */
final class DirtyPages {
    private final int blockBytes;
    private final Map<Integer, Long> ends = new HashMap<>();
    private final BitSet files = new BitSet();
    private long slots;
    private long pages;

    DirtyPages(int blockBytes) {
        this.blockBytes = blockBytes;
    }

    /** A slot has these dirty pages of a block of a file in use. */
    void add(int file, int block, int dirtyPages) {
        slots++;
        pages += Integer.bitCount(dirtyPages);
        int end = Integer.SIZE - Integer.numberOfLeadingZeros(dirtyPages);
        long endBytes = (long) block * blockBytes + (long) end * BlockGeometry.PAGE_BYTES;
        ends.merge(file, endBytes, Math::max);
        files.set(file);
    }

    /** A slot has dirty pages of a number whose file is not known. */
    void addUnknown(int file) {
        files.set(file);
    }

    /** Where the last dirty page of a file ends, 0 if it has none. */
    long endOf(int file) {
        return ends.getOrDefault(file, 0L);
    }

    BitSet files() {
        return files;
    }

    long slots() {
        return slots;
    }

    long pages() {
        return pages;
    }
}
