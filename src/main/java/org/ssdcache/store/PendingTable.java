package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import org.ssdcache.block.MappingSink;
import org.ssdcache.block.PendingAttributes;

/**
 * The table of what is pending of files, on the disk; and which numbers have an entry in it, in
 * memory. Used under the checkpoint lock.
 */
final class PendingTable {
    private static final int PAGE_BYTES = StoreGeometry.TABLE_PAGE_BYTES;
    private static final int SCAN_BYTES = 1 << 20;
    private static final int ENTRIES_PER_PAGE = PAGE_BYTES / PendingEntry.BYTES;

    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final ByteBuffer page = Buffers.direct(PAGE_BYTES);

    /** Numbers whose entry is not the settled one; a damaged entry counts. */
    private final BitSet files = new BitSet();

    PendingTable(StoreDisk disk, StoreGeometry geometry) {
        this.disk = disk;
        this.geometry = geometry;
    }

    /** Finds the entries there are, all of which have a number below the end. */
    void scan(int end) throws IOException {
        ByteBuffer entries = Buffers.direct(SCAN_BYTES);
        int perScan = SCAN_BYTES / PendingEntry.BYTES;
        for (int first = 0; first < end; first += perScan) {
            int count = Math.min(perScan, end - first);
            entries.clear().limit(count * PendingEntry.BYTES);
            disk.read(entries, offset(first / ENTRIES_PER_PAGE));
            for (int i = 0; i < count; i++) {
                files.set(first + i, !PendingEntry.isSettled(entries, i * PendingEntry.BYTES));
            }
        }
    }

    /** Whether the number has an entry that is not the settled one. */
    boolean has(int file) {
        return files.get(file);
    }

    /** All entries have a number below it; 0 if nothing is pending. */
    int end() {
        return files.length();
    }

    /** Writes entries; null stands for nothing pending. Not synced. */
    void write(Map<Integer, PendingAttributes> changes) throws IOException {
        TreeMap<Integer, PendingAttributes> ordered = new TreeMap<>(changes);
        while (!ordered.isEmpty()) {
            int number = ordered.firstKey() / ENTRIES_PER_PAGE;
            read(number);
            Map<Integer, PendingAttributes> inPage =
                    ordered.headMap((number + 1) * ENTRIES_PER_PAGE);
            inPage.forEach(this::encode);
            inPage.clear();
            disk.write(page.clear(), offset(number));
        }
    }

    private void encode(int file, PendingAttributes attributes) {
        files.set(file, attributes != null);
        if (attributes == null) {
            PendingEntry.encodeSettled(page, at(file));
        } else {
            PendingEntry.encode(page, at(file), file, attributes);
        }
    }

    /**
     * Hands what is pending to a sink.
     *
     * @param createdSequences by file number, as {@link FileEntryTable#load} gave them
     */
    void load(long[] createdSequences, MappingSink sink) throws IOException {
        int pageRead = -1;
        for (int file = files.nextSetBit(0); file >= 0; file = files.nextSetBit(file + 1)) {
            if (file / ENTRIES_PER_PAGE != pageRead) {
                pageRead = file / ENTRIES_PER_PAGE;
                read(pageRead);
            }
            PendingAttributes attributes = PendingEntry.decode(page, at(file), file);
            boolean isLive =
                    file < createdSequences.length && createdSequences[file] != Long.MAX_VALUE;
            if (attributes != null && isLive) {
                sink.pending(file, attributes);
            }
        }
    }

    private void read(int pageNumber) throws IOException {
        disk.read(page.clear(), offset(pageNumber));
    }

    private long offset(int pageNumber) {
        return geometry.pendingTableOffset() + (long) pageNumber * PAGE_BYTES;
    }

    private static int at(int file) {
        return file % ENTRIES_PER_PAGE * PendingEntry.BYTES;
    }
}
