package org.ssdcache.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.ssdcache.io.BlockFile;

/**
 * Another file as it is, with changes on top that stay in memory: what an open would make of a
 * store can be looked at without touching it. The pages that a replay of a full journal changes are
 * at most as long as the tables.
 */
final class OverlayBlockFile implements BlockFile {
    private static final int PAGE_BYTES = 4096;

    private final BlockFile below;

    @GuardedBy("this")
    private final Map<Long, byte[]> pages = new HashMap<>();

    @GuardedBy("this")
    private long sizeBytes;

    OverlayBlockFile(BlockFile below) throws IOException {
        this.below = below;
        sizeBytes = below.sizeBytes();
    }

    @Override
    public synchronized int read(ByteBuffer target, long offsetBytes) throws IOException {
        int start = target.position();
        int length = (int) Math.max(0, Math.min(target.remaining(), sizeBytes - offsetBytes));
        int limit = target.limit();
        target.limit(start + length);
        below.read(target, offsetBytes);
        while (target.hasRemaining()) {
            target.put((byte) 0);
        }
        target.limit(limit);
        for (long at = offsetBytes; at < offsetBytes + length; at += pieceAt(at)) {
            byte[] page = pages.get(at / PAGE_BYTES);
            if (page != null) {
                int piece = (int) Math.min(pieceAt(at), offsetBytes + length - at);
                target.put(start + (int) (at - offsetBytes), page, (int) (at % PAGE_BYTES), piece);
            }
        }
        return length;
    }

    @Override
    public synchronized void write(ByteBuffer source, long offsetBytes) throws IOException {
        long at = offsetBytes;
        while (source.hasRemaining()) {
            int piece = Math.min(pieceAt(at), source.remaining());
            source.get(page(at / PAGE_BYTES), (int) (at % PAGE_BYTES), piece);
            at += piece;
        }
        sizeBytes = Math.max(sizeBytes, at);
    }

    private static int pieceAt(long offsetBytes) {
        return PAGE_BYTES - (int) (offsetBytes % PAGE_BYTES);
    }

    @GuardedBy("this")
    private byte[] page(long number) throws IOException {
        byte[] page = pages.get(number);
        if (page == null) {
            ByteBuffer bytes = Buffers.direct(PAGE_BYTES);
            int length = below.read(bytes, number * PAGE_BYTES);
            page = new byte[PAGE_BYTES];
            bytes.flip().get(page, 0, length);
            pages.put(number, page);
        }
        return page;
    }

    @Override
    public void syncData() {}

    @Override
    public void sync() {}

    @Override
    public synchronized long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public long allocatedBytes() {
        throw new UnsupportedOperationException("nobody asks a store for its space");
    }

    @Override
    public void setModified(long modifiedNanos) {
        throw new UnsupportedOperationException("nobody sets a store's times");
    }

    @Override
    public synchronized void truncate(long newSizeBytes) {
        sizeBytes = newSizeBytes;
    }

    @Override
    public synchronized void allocate(int mode, long offsetBytes, long lengthBytes) {
        sizeBytes = Math.max(sizeBytes, offsetBytes + lengthBytes);
    }

    @Override
    public void forgetPages(long offsetBytes, long lengthBytes) {
        // Advice; what is in memory here is needed.
    }

    /** The file below is its owner's. */
    @Override
    public void close() {}
}
