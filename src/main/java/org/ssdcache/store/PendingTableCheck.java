package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileLocator;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.store.StoreFinding.Area;

/**
 * Looks at the entries of the pending table. A damaged one is made anew from what it says, what the
 * file table says and where the file has dirty pages, so that no dirty page comes to lie beyond the
 * file's end.
 */
final class PendingTableCheck {
    private static final int PAGE_BYTES = StoreGeometry.TABLE_PAGE_BYTES;
    private static final int PER_PAGE = PAGE_BYTES / PendingEntry.BYTES;

    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final int end;
    private final Findings findings;
    private final BitSet damaged = new BitSet();
    private long pendingFiles;

    PendingTableCheck(StoreDisk disk, Superblock superblock, Findings findings) {
        this.disk = disk;
        this.geometry = superblock.geometry();
        this.end = superblock.pendingEnd();
        this.findings = findings;
    }

    void scan(FileTableCheck files) throws IOException {
        ByteBuffer page = Buffers.direct(PAGE_BYTES);
        for (int file = 0; file < end; file++) {
            int at = file % PER_PAGE * PendingEntry.BYTES;
            if (at == 0) {
                disk.read(page.clear(), offsetOf(file));
            }
            if (Buffers.isZero(page, at, at + PendingEntry.BYTES)) {
                continue;
            }
            if (!PendingEntry.isWhole(page, at, file)) {
                damaged.set(file);
            } else if (files.isLive(file)) {
                pendingFiles++;
            }
        }
    }

    long pendingFiles() {
        return pendingFiles;
    }

    /** Reports damaged entries. */
    void report(FileTableCheck files, DirtyPages dirty) throws IOException {
        for (int file = damaged.nextSetBit(0); file >= 0; file = damaged.nextSetBit(file + 1)) {
            report(file, files, dirty);
        }
    }

    private void report(int file, FileTableCheck files, DirtyPages dirty) throws IOException {
        String where = "file " + file;
        ByteBuffer entry = Buffers.direct(PendingEntry.BYTES);
        if (!files.isLive(file)) {
            findings.addRepairable(
                    Area.PENDING_TABLE,
                    where,
                    "its entry is damaged, and there is no such file",
                    false,
                    offsetOf(file),
                    entry);
            return;
        }
        disk.read(entry, offsetOf(file));
        PendingAttributes made = made(entry, files.facts(file), dirty.endOf(file));
        PendingEntry.encode(entry, 0, file, made);
        findings.addRepairable(
                Area.PENDING_TABLE,
                where,
                "its entry is damaged; it becomes "
                        + made.sizeBytes()
                        + " bytes long, and its times may be wrong",
                true,
                offsetOf(file),
                entry);
    }

    /**
     * @param dirtyEnd where the last dirty page of the file ends, 0 if it has none
     */
    private static PendingAttributes made(ByteBuffer entry, FileFacts facts, long dirtyEnd) {
        long least = dirtyEnd == 0 ? 0 : dirtyEnd - BlockGeometry.PAGE_BYTES + 1;
        long most = Math.max(dirtyEnd, facts.sizeBytes());
        long stated = PendingEntry.statedSize(entry, 0);
        long size = stated >= least && stated <= most ? stated : most;
        FileLocator locator = PendingEntry.statedLocator(entry, 0);
        return new PendingAttributes(size, facts.modifiedNanos(), facts.changedNanos(), locator);
    }

    private long offsetOf(int file) {
        return geometry.pendingTableOffset() + (long) file * PendingEntry.BYTES;
    }
}
