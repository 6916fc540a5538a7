package org.ssdcache.daemon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.MappingSink;

/** Which bytes of which files a cache holds that its backing directory lacks. */
final class DirtyInventory implements MappingSink {
    private final int blockBytes;
    private final Map<Integer, FileId> ids = new HashMap<>();

    /** Numbers of dirty pages in the file, by file. */
    private final Map<Integer, TreeSet<Long>> pages = new HashMap<>();

    /** Bytes of a file from {@code from} to, without, {@code to}. */
    record Range(long from, long to) {
        @Override
        public String toString() {
            return from + "-" + (to - 1);
        }
    }

    DirtyInventory(int blockBytes) {
        this.blockBytes = blockBytes;
    }

    @Override
    public void file(int file, FileId id, FileFacts facts) {
        ids.put(file, id);
    }

    @Override
    public void slot(int slot, int file, int block, int validPages, int dirtyPages) {
        if (dirtyPages == 0 || !ids.containsKey(file)) {
            return;
        }
        TreeSet<Long> ofFile = pages.computeIfAbsent(file, number -> new TreeSet<>());
        long first = (long) block * (blockBytes / BlockGeometry.PAGE_BYTES);
        for (int page = 0; page < Integer.SIZE; page++) {
            if ((dirtyPages & 1 << page) != 0) {
                ofFile.add(first + page);
            }
        }
    }

    /** By file, the dirty ranges in ascending order, as large as they can be. */
    Map<FileId, List<Range>> ranges() {
        Map<FileId, List<Range>> ranges = new HashMap<>();
        pages.forEach((file, ofFile) -> ranges.put(ids.get(file), merged(ofFile)));
        return ranges;
    }

    private static List<Range> merged(Iterable<Long> pages) {
        List<Range> ranges = new ArrayList<>();
        for (long page : pages) {
            long from = page * BlockGeometry.PAGE_BYTES;
            long to = from + BlockGeometry.PAGE_BYTES;
            int last = ranges.size() - 1;
            if (last >= 0 && ranges.get(last).to() == from) {
                ranges.set(last, new Range(ranges.get(last).from(), to));
            } else {
                ranges.add(new Range(from, to));
            }
        }
        return ranges;
    }
}
