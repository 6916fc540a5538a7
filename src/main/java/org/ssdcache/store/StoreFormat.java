package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.ErrnoException;

/** Makes a store in a file. */
final class StoreFormat {
    private static final int EOPNOTSUPP = 95;
    private static final int WRITE_BYTES = 1 << 20;

    private StoreFormat() {}

    /**
     * Whatever was in the file is gone. A crash on the way leaves a file that is not a store: the
     * superblock comes last.
     */
    static void run(
            BlockFile file, StoreGeometry geometry, StoreIdentity id, LongConsumer progressBytes)
            throws IOException {
        StoreDisk disk = new StoreDisk(file);
        SuperblockPair.erase(disk);
        reserve(file, geometry.totalBytes());
        long end = geometry.slotsOffset();
        ByteBuffer zeros = Buffers.direct(WRITE_BYTES);
        for (long at = 0; at < end; at += WRITE_BYTES) {
            disk.write(zeros.clear().limit((int) Math.min(WRITE_BYTES, end - at)), at);
            progressBytes.accept(Math.min(at + WRITE_BYTES, end));
        }
        file.sync();
        SuperblockPair.write(disk, new Superblock(1, 0, geometry, id, 0, 1, 0, true, ""));
        file.sync();
    }

    /** Space for everything now, so that a full disk is noticed here and not under a database. */
    private static void reserve(BlockFile file, long totalBytes) throws IOException {
        file.truncate(totalBytes);
        try {
            file.allocate(0, 0, totalBytes);
        } catch (ErrnoException e) {
            if (e.errno() != EOPNOTSUPP) {
                throw e;
            }
            // A filesystem without fallocate has the sparse file instead.
        }
    }
}
