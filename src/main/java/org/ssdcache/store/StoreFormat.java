package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.io.BlockFile;

/** Makes a store in a file, or an older store into one of today. */
final class StoreFormat {
    private static final Logger LOG = LoggerFactory.getLogger(StoreFormat.class);
    private static final int WRITE_BYTES = 1 << 20;

    /** So much is written between syncs, that the last of them is not a long silence. */
    private static final long SYNC_BYTES = 64L << 20;

    private StoreFormat() {}

    /**
     * Whatever was in the file is gone. A crash on the way leaves a file that is not a store: the
     * superblock comes last.
     *
     * @param slotsToo whether the slots are written as well, not only allocated
     */
    static void run(
            BlockFile file,
            StoreGeometry geometry,
            StoreIdentity id,
            boolean slotsToo,
            LongConsumer progressBytes)
            throws IOException {
        StoreDisk disk = new StoreDisk(file);
        SuperblockPair.erase(disk);
        // Space for everything now: a full disk is noticed here and not under a database.
        file.truncate(geometry.totalBytes());
        disk.reserve(0, geometry.totalBytes());
        long end = slotsToo ? geometry.pendingTableOffset() : geometry.slotsOffset();
        for (long from = 0; from < end; from += SYNC_BYTES) {
            long to = Math.min(end, from + SYNC_BYTES);
            writeZeros(disk, from, to, progressBytes);
            file.syncData();
            file.forgetPages(from, to - from);
        }
        writeZeros(disk, geometry.pendingTableOffset(), geometry.totalBytes(), bytes -> {});
        file.sync();
        int prepared = slotsToo ? geometry.slotCount() : 0;
        SuperblockPair.write(disk, Superblock.first(geometry, id).withPreparedSlots(prepared));
        file.sync();
    }

    private static void writeZeros(StoreDisk disk, long from, long end, LongConsumer progressBytes)
            throws IOException {
        ByteBuffer zeros = Buffers.direct(WRITE_BYTES);
        for (long at = from; at < end; at += WRITE_BYTES) {
            zeros.clear().limit((int) Math.min(WRITE_BYTES, end - at));
            disk.writeSlotData(zeros, at);
            progressBytes.accept(Math.min(at + WRITE_BYTES, end));
        }
    }

    /**
     * Gives a store that was made without one a pending table. Until the returned superblock is
     * written the store is what it was.
     *
     * @return the superblock to go on with: the same if there is no space for the table
     * @throws IOException if a sync failed, after which nothing in the file is certain
     */
    static Superblock upgrade(StoreDisk disk, Superblock found) throws IOException {
        if (found.writeback()) {
            return found;
        }
        StoreGeometry geometry = found.geometry();
        try {
            disk.reserve(geometry.pendingTableOffset(), geometry.pendingTableBytes());
            writeZeros(disk, geometry.pendingTableOffset(), geometry.totalBytes(), bytes -> {});
        } catch (IOException e) {
            LOG.warn("The store cannot be made fit for writeback: {}", e.getMessage());
            disk.truncate(geometry.pendingTableOffset());
            return found;
        }
        disk.syncAll();
        return found.withWriteback();
    }
}
