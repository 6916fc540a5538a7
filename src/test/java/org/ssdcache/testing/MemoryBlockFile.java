package org.ssdcache.testing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.ErrnoException;

/** A file in memory, sparse, that never fails until it is closed. */
public final class MemoryBlockFile implements BlockFile {
    private static final int CHUNK_BYTES = 16 << 10;
    private static final int PAGE_BYTES = 4096;
    private static final int EBADF = 9;
    private static final int EINVAL = 22;
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    private static final int ZERO_RANGE = 16;

    /** Chunks that were written; all others are zeros. */
    @GuardedBy("this")
    private final Map<Long, byte[]> chunks = new HashMap<>();

    /** Pages that have space, by number. */
    @GuardedBy("this")
    private final BitSet allocated = new BitSet();

    @GuardedBy("this")
    private long sizeBytes;

    @GuardedBy("this")
    private long modifiedNanos;

    @GuardedBy("this")
    private boolean closed;

    public MemoryBlockFile() {}

    public MemoryBlockFile(long sizeBytes) {
        this.sizeBytes = sizeBytes;
    }

    /** Another file with the same bytes, open also if this one is closed. */
    public synchronized MemoryBlockFile copy() {
        MemoryBlockFile copy = new MemoryBlockFile(sizeBytes);
        synchronized (copy) {
            chunks.forEach((number, chunk) -> copy.chunks.put(number, chunk.clone()));
            copy.allocated.or(allocated);
            copy.modifiedNanos = modifiedNanos;
        }
        return copy;
    }

    @Override
    public synchronized int read(ByteBuffer target, long offsetBytes) throws ErrnoException {
        checkOpen(offsetBytes);
        int length = (int) Math.max(0, Math.min(target.remaining(), sizeBytes - offsetBytes));
        long at = offsetBytes;
        long end = offsetBytes + length;
        while (at < end) {
            int inChunk = (int) (at % CHUNK_BYTES);
            int piece = (int) Math.min(CHUNK_BYTES - inChunk, end - at);
            byte[] chunk = chunks.get(at / CHUNK_BYTES);
            if (chunk == null) {
                target.put(new byte[piece]);
            } else {
                target.put(chunk, inChunk, piece);
            }
            at += piece;
        }
        return length;
    }

    @Override
    public synchronized void write(ByteBuffer source, long offsetBytes) throws ErrnoException {
        checkOpen(offsetBytes);
        takeSpace(offsetBytes, offsetBytes + source.remaining());
        long at = offsetBytes;
        while (source.hasRemaining()) {
            int inChunk = (int) (at % CHUNK_BYTES);
            int piece = Math.min(CHUNK_BYTES - inChunk, source.remaining());
            if (chunks.containsKey(at / CHUNK_BYTES) || !isZero(source, piece)) {
                source.get(chunk(at / CHUNK_BYTES), inChunk, piece);
            } else {
                source.position(source.position() + piece);
            }
            at += piece;
        }
        sizeBytes = Math.max(sizeBytes, at);
    }

    private static boolean isZero(ByteBuffer source, int length) {
        int end = source.position() + length;
        for (int at = source.position(); at < end; at++) {
            if (source.get(at) != 0) {
                return false;
            }
        }
        return true;
    }

    @GuardedBy("this")
    private byte[] chunk(long number) {
        return chunks.computeIfAbsent(number, n -> new byte[CHUNK_BYTES]);
    }

    @Override
    public synchronized void syncData() throws ErrnoException {
        checkOpen(0);
    }

    @Override
    public synchronized void sync() throws ErrnoException {
        checkOpen(0);
    }

    @Override
    public synchronized long sizeBytes() throws ErrnoException {
        checkOpen(0);
        return sizeBytes;
    }

    @Override
    public synchronized long allocatedBytes() throws ErrnoException {
        checkOpen(0);
        return (long) allocated.cardinality() * PAGE_BYTES;
    }

    @GuardedBy("this")
    private void takeSpace(long from, long to) {
        allocated.set((int) (from / PAGE_BYTES), (int) ((to + PAGE_BYTES - 1) / PAGE_BYTES));
    }

    /** Whole pages only. */
    @GuardedBy("this")
    private void giveSpace(long from, long to) {
        int first = (int) ((from + PAGE_BYTES - 1) / PAGE_BYTES);
        allocated.clear(first, Math.max(first, (int) (to / PAGE_BYTES)));
    }

    @Override
    public synchronized void setModified(long nanos) throws ErrnoException {
        checkOpen(0);
        modifiedNanos = nanos;
    }

    /** What {@link #setModified} was last called with; writes do not change it. */
    public synchronized long modifiedNanos() {
        return modifiedNanos;
    }

    @Override
    public synchronized void truncate(long newSizeBytes) throws ErrnoException {
        checkOpen(newSizeBytes);
        if (newSizeBytes <= sizeBytes) {
            // As on ext4 and XFS also what was reserved behind the end.
            zero(newSizeBytes, sizeBytes);
            giveSpace(newSizeBytes, (long) allocated.length() * PAGE_BYTES);
        }
        sizeBytes = newSizeBytes;
    }

    @Override
    public synchronized void allocate(int mode, long offsetBytes, long lengthBytes)
            throws ErrnoException {
        checkOpen(offsetBytes);
        boolean keepSize = (mode & KEEP_SIZE) != 0;
        if (lengthBytes <= 0 || ((mode & PUNCH_HOLE) != 0 && !keepSize)) {
            throw new ErrnoException(EINVAL, "fallocate mode " + mode + " length " + lengthBytes);
        }
        long end = offsetBytes + lengthBytes;
        if ((mode & PUNCH_HOLE) != 0) {
            giveSpace(offsetBytes, end);
        } else {
            takeSpace(offsetBytes, end);
        }
        if ((mode & (PUNCH_HOLE | ZERO_RANGE)) != 0) {
            zero(offsetBytes, Math.min(end, sizeBytes));
        }
        if (!keepSize) {
            sizeBytes = Math.max(sizeBytes, end);
        }
    }

    @GuardedBy("this")
    private void zero(long from, long to) {
        long at = from;
        while (at < to) {
            int inChunk = (int) (at % CHUNK_BYTES);
            int piece = (int) Math.min(CHUNK_BYTES - inChunk, to - at);
            byte[] chunk = chunks.get(at / CHUNK_BYTES);
            if (chunk != null) {
                Arrays.fill(chunk, inChunk, inChunk + piece, (byte) 0);
            }
            at += piece;
        }
    }

    @Override
    public void forgetPages(long offsetBytes, long lengthBytes) {
        // Memory has no page cache in front of it.
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    @GuardedBy("this")
    private void checkOpen(long offsetBytes) throws ErrnoException {
        if (closed) {
            throw new ErrnoException(EBADF, "the memory file is closed");
        }
        if (offsetBytes < 0) {
            throw new ErrnoException(EINVAL, "offset " + offsetBytes);
        }
    }
}
