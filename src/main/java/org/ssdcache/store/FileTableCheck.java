package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import org.ssdcache.block.FileFacts;
import org.ssdcache.store.StoreFinding.Area;

/** Looks at the entries of the file table: which files there are, and which entries are damaged. */
final class FileTableCheck {
    private static final int PAGE_BYTES = StoreGeometry.TABLE_PAGE_BYTES;
    private static final int PER_PAGE = PAGE_BYTES / FileEntry.BYTES;

    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final Findings findings;
    private final BitSet damaged = new BitSet();
    private final long[] createdSequences;
    private long files;

    FileTableCheck(StoreDisk disk, Superblock superblock, Findings findings) {
        this.disk = disk;
        this.geometry = superblock.geometry();
        this.findings = findings;
        this.createdSequences = new long[superblock.filesUsed()];
        Arrays.fill(createdSequences, Long.MAX_VALUE);
    }

    void scan() throws IOException {
        ByteBuffer page = Buffers.direct(PAGE_BYTES);
        for (int first = 0; first < createdSequences.length; first += PER_PAGE) {
            int count = Math.min(PER_PAGE, createdSequences.length - first);
            disk.read(page.clear(), offsetOf(first));
            for (int i = 0; i < count; i++) {
                look(page, i * FileEntry.BYTES, first + i);
            }
        }
    }

    private void look(ByteBuffer page, int at, int file) {
        FileEntry entry = FileEntry.decode(page, at, file);
        if (entry != null) {
            createdSequences[file] = entry.createdSequence();
            files++;
        } else if (!Buffers.isZero(page, at, at + FileEntry.BYTES)) {
            damaged.set(file);
        }
    }

    /** Numbers in use. */
    long files() {
        return files;
    }

    /** Whether a slot's mapping is of the file that has the number now. */
    boolean isLive(int file, long sequence) {
        return file >= 0 && file < createdSequences.length && sequence > createdSequences[file];
    }

    boolean isLive(int file) {
        return file >= 0
                && file < createdSequences.length
                && createdSequences[file] != Long.MAX_VALUE;
    }

    /** What is known of a live file. */
    FileFacts facts(int file) throws IOException {
        ByteBuffer entry = Buffers.direct(FileEntry.BYTES);
        disk.read(entry, offsetOf(file));
        return FileEntry.decode(entry, 0, file).facts();
    }

    /** Reports damaged entries: those of files without dirty blocks hold nothing that is missed. */
    void report(BitSet dirtyFiles) {
        damaged.stream().forEach(file -> report(file, dirtyFiles.get(file)));
    }

    private void report(int file, boolean hasDirty) {
        String where = "file " + file;
        if (hasDirty) {
            findings.add(
                    Area.FILE_TABLE,
                    where,
                    "its entry is damaged, and it has blocks that the backing does not have",
                    true);
        } else {
            findings.addRepairable(
                    Area.FILE_TABLE,
                    where,
                    "its entry is damaged; its cached blocks are lost",
                    false,
                    offsetOf(file),
                    Buffers.direct(FileEntry.BYTES));
        }
    }

    private long offsetOf(int file) {
        return geometry.fileTableOffset() + (long) file * FileEntry.BYTES;
    }
}
