package org.ssdcache.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The time until which this daemon may change files of the backing directory, in a sector of its
 * own. It is written without sync: it survives the daemon, and after a power cut it may be older.
 */
final class Lease {
    /** "SSLE". */
    private static final int MAGIC = 0x454C5353;

    private static final int CRC = 4;
    private static final int STORE_ID = 8;
    private static final int UNTIL = 16;
    private static final int END = 24;

    private final StoreDisk disk;
    private final long storeId;
    private final long offsetBytes;

    @GuardedBy("this")
    private final ByteBuffer sector = Buffers.direct(StoreGeometry.SECTOR_BYTES);

    Lease(StoreDisk disk, long storeId, long offsetBytes) {
        this.disk = disk;
        this.storeId = storeId;
        this.offsetBytes = offsetBytes;
    }

    /** The last time written, nanoseconds since 1970; 0 if there is none. */
    synchronized long read() throws IOException {
        return isWhole() ? sector.getLong(UNTIL) : 0;
    }

    /** Whether the sector on the disk is one of this store. */
    synchronized boolean isWhole() throws IOException {
        disk.read(sector.clear(), offsetBytes);
        return sector.getInt(0) == MAGIC
                && sector.getLong(STORE_ID) == storeId
                && sector.getInt(CRC) == Buffers.crc(sector, STORE_ID, END);
    }

    synchronized void write(long untilWallNanos) throws IOException {
        sector.putInt(0, MAGIC).putLong(STORE_ID, storeId).putLong(UNTIL, untilWallNanos);
        sector.putInt(CRC, Buffers.crc(sector, STORE_ID, END));
        disk.write(sector.clear(), offsetBytes);
    }
}
