package org.ssdcache.cache;

import java.io.IOException;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/**
 * Makes sure that the backing has room for a block before it becomes dirty, so that a full disk or
 * a quota meets the writer and never the cleaner (ENOSPC, EDQUOT). Space is reserved without a
 * change of the backing file's length (fallocate, keep size).
 *
 * <p>A file that has no holes needs nothing for what is written inside its length. A file that
 * grows gets its space in steps ahead; what is too much is given back when the file is settled.
 */
final class SpaceReservation {
    private static final long STEP_BYTES = 1L << 20;
    private static final long SECTOR_BYTES = 4096;

    private SpaceReservation() {}

    /** Whether {@link #reserve} would change the backing file. */
    static boolean isNeeded(CachedFile file, long offsetBytes, long lengthBytes)
            throws IOException {
        return file.reservation().isSupported()
                && offsetBytes + lengthBytes > coveredBytes(file, offsetBytes);
    }

    /** Up to where space is there for sure, as far as it covers the offset. */
    private static long coveredBytes(CachedFile file, long offsetBytes) throws IOException {
        Reservation state = file.reservation();
        if (!state.isKnown()) {
            long sizeBytes = file.backing().sizeBytes();
            boolean full = file.backing().allocatedBytes() >= roundUp(sizeBytes, SECTOR_BYTES);
            state.setCovered(full ? roundUp(sizeBytes, SECTOR_BYTES) : 0);
        }
        return offsetBytes <= state.coveredBytes() ? state.coveredBytes() : 0;
    }

    /**
     * Reserves space for a write. The caller has announced a change of the file.
     *
     * @throws ErrnoException ENOSPC or EDQUOT when the backing has no room
     */
    static void reserve(CachedFile file, long offsetBytes, long lengthBytes) throws IOException {
        long startBytes = offsetBytes / SECTOR_BYTES * SECTOR_BYTES;
        long endBytes = roundUp(offsetBytes + lengthBytes, SECTOR_BYTES);
        Reservation state = file.reservation();
        boolean continues = startBytes <= state.coveredBytes() && state.coveredBytes() > 0;
        boolean fromStart = startBytes == 0 && file.sizeBytes() == 0;
        if (!continues && !fromStart) {
            allocate(file, startBytes, endBytes);
            return;
        }
        long from = Math.max(startBytes, state.coveredBytes());
        long ahead = roundUp(endBytes, STEP_BYTES);
        try {
            allocate(file, from, ahead);
            state.setCovered(ahead);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENOSPC && e.errno() != Errno.EDQUOT) {
                throw e;
            }
            allocate(file, from, endBytes);
            state.setCovered(endBytes);
        }
    }

    private static void allocate(CachedFile file, long fromBytes, long toBytes) throws IOException {
        try {
            file.setChanged(true);
            file.backing().allocate(Resizing.KEEP_SIZE, fromBytes, toBytes - fromBytes);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
            file.reservation().setUnsupported();
        }
    }

    private static long roundUp(long bytes, long multiple) {
        return (bytes + multiple - 1) / multiple * multiple;
    }
}
