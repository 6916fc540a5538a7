package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.ssdcache.block.MappingSink;

/** The file table on the disk. Used under the checkpoint lock. */
final class FileEntryTable {
    private static final int PAGE_BYTES = StoreGeometry.TABLE_PAGE_BYTES;
    private static final int ENTRIES_PER_PAGE = PAGE_BYTES / FileEntry.BYTES;
    private static final int SCAN_BYTES = 1 << 20;

    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final ByteBuffer page = Buffers.direct(PAGE_BYTES);
    private long pageInBuffer = -1;

    FileEntryTable(StoreDisk disk, StoreGeometry geometry) {
        this.disk = disk;
        this.geometry = geometry;
    }

    /** The file of a number, or null. */
    FileEntry read(int file) throws IOException {
        readPage(file / ENTRIES_PER_PAGE);
        return FileEntry.decode(page, at(file), file);
    }

    /** Writes entries; null stands for no file. Not synced. */
    void write(Map<Integer, FileEntry> changes) throws IOException {
        TreeMap<Integer, FileEntry> ordered = new TreeMap<>(changes);
        while (!ordered.isEmpty()) {
            int number = ordered.firstKey() / ENTRIES_PER_PAGE;
            readPage(number);
            Map<Integer, FileEntry> inPage = ordered.headMap((number + 1) * ENTRIES_PER_PAGE);
            inPage.forEach(this::encode);
            inPage.clear();
            disk.write(page.clear(), offset(number));
        }
    }

    private void encode(int file, FileEntry entry) {
        if (entry == null) {
            FileEntry.encodeFree(page, at(file));
        } else {
            entry.encode(page, at(file), file);
        }
    }

    private void readPage(long number) throws IOException {
        if (pageInBuffer != number) {
            pageInBuffer = -1;
            disk.read(page.clear(), offset(number));
            pageInBuffer = number;
        }
    }

    /**
     * Hands the files to a sink.
     *
     * @param filesUsed numbers from here on are not looked at
     * @param sink may be null
     * @return by number, the sequence above which a slot's mapping belongs to the file; {@link
     *     Long#MAX_VALUE} where there is no file
     */
    long[] load(int filesUsed, MappingSink sink) throws IOException {
        long[] createdSequences = new long[filesUsed];
        Arrays.fill(createdSequences, Long.MAX_VALUE);
        ByteBuffer entries = Buffers.direct(SCAN_BYTES);
        int perScan = SCAN_BYTES / FileEntry.BYTES;
        for (int first = 0; first < filesUsed; first += perScan) {
            int count = Math.min(perScan, filesUsed - first);
            entries.clear().limit(count * FileEntry.BYTES);
            disk.read(entries, geometry.fileTableOffset() + (long) first * FileEntry.BYTES);
            for (int i = 0; i < count; i++) {
                FileEntry entry = FileEntry.decode(entries, i * FileEntry.BYTES, first + i);
                if (entry != null) {
                    createdSequences[first + i] = entry.createdSequence();
                    if (sink != null) {
                        sink.file(first + i, entry.id(), entry.facts());
                    }
                }
            }
        }
        return createdSequences;
    }

    private long offset(long pageNumber) {
        return geometry.fileTableOffset() + pageNumber * PAGE_BYTES;
    }

    private static int at(int file) {
        return file % ENTRIES_PER_PAGE * FileEntry.BYTES;
    }
}
