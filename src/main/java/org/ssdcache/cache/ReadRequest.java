package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.ssdcache.block.BlockGeometry;

/**
 * One read while it is served: which of its blocks have arrived, which are claimed, and where their
 * bytes go. The buffer holds whole blocks, so that what is read from the backing can be stored as
 * it is and the answer is a slice of it.
 */
final class ReadRequest {
    /** A contiguous run of blocks of the request, by position: first to end, end excluded. */
    record Range(int first, int end) {}

    /** One buffer per serving thread, large enough for the largest request so far. */
    static final class Buffers {
        private final BlockGeometry geometry;

        @SuppressWarnings("ThreadLocalUsage") // the cache lives as long as its threads
        private final ThreadLocal<ByteBuffer> buffer = new ThreadLocal<>();

        Buffers(BlockGeometry geometry) {
            this.geometry = geometry;
        }

        /** A request clipped to the end of the file; not to be kept beyond the call it serves. */
        ReadRequest request(CachedFile file, long offsetBytes, int lengthBytes) {
            long available = Math.max(0, file.sizeBytes() - offsetBytes);
            int clipped = (int) Math.min(lengthBytes, available);
            int skip = geometry.offsetInBlock(offsetBytes);
            int blockCount =
                    clipped == 0
                            ? 0
                            : (skip + clipped + geometry.blockBytes() - 1) / geometry.blockBytes();
            ByteBuffer data = bufferOf(blockCount * geometry.blockBytes());
            return new ReadRequest(geometry, data, file, offsetBytes, clipped, blockCount);
        }

        private ByteBuffer bufferOf(int bytes) {
            ByteBuffer mine = buffer.get();
            if (mine == null || mine.capacity() < bytes) {
                int page = BlockGeometry.PAGE_BYTES;
                mine = ByteBuffer.allocateDirect(bytes + page).alignedSlice(page);
                buffer.set(mine);
            }
            return mine;
        }
    }

    private final BlockGeometry geometry;
    private final ByteBuffer data;
    private final CachedFile file;
    private final int lengthBytes;
    private final int firstBlock;
    private final int skipFirstBytes;
    private final int blockCount;
    private final boolean[] missing;
    private final BlockClaims.Claim[] claims;

    /** How many bytes of the buffer the file has; less than all of it at the end of the file. */
    private int filledBytes;

    private ReadRequest(
            BlockGeometry geometry,
            ByteBuffer data,
            CachedFile file,
            long offsetBytes,
            int lengthBytes,
            int blockCount) {
        this.geometry = geometry;
        this.data = data;
        this.file = file;
        this.lengthBytes = lengthBytes;
        this.firstBlock = blockCount == 0 ? 0 : geometry.blockOf(offsetBytes);
        this.skipFirstBytes = geometry.offsetInBlock(offsetBytes);
        this.blockCount = blockCount;
        this.missing = new boolean[blockCount];
        this.claims = new BlockClaims.Claim[blockCount];
        this.filledBytes = blockCount * geometry.blockBytes();
        Arrays.fill(missing, true);
    }

    CachedFile file() {
        return file;
    }

    int lengthBytes() {
        return lengthBytes;
    }

    int blockCount() {
        return blockCount;
    }

    int block(int i) {
        return firstBlock + i;
    }

    boolean isMissing(int i) {
        return missing[i];
    }

    void arrived(int i) {
        missing[i] = false;
    }

    boolean isComplete() {
        return nextRange(0, false) == null;
    }

    int missingBytes() {
        int bytes = 0;
        for (int i = 0; i < blockCount; i++) {
            bytes += missing[i] ? endInBlock(i) - skipBytes(i) : 0;
        }
        return bytes;
    }

    /** Where in block i the wanted bytes begin. */
    int skipBytes(int i) {
        return i == 0 ? skipFirstBytes : 0;
    }

    /** The place of block i's wanted bytes. */
    ByteBuffer wanted(int i) {
        int start = i * geometry.blockBytes();
        return data.slice(start + skipBytes(i), endInBlock(i) - skipBytes(i));
    }

    /** The pages of claimed block i that the file has, zeros behind its end. */
    ByteBuffer blockData(int i) {
        int start = i * geometry.blockBytes();
        int bytes = Math.max(0, Math.min(geometry.blockBytes(), filledBytes - start));
        int page = BlockGeometry.PAGE_BYTES;
        return data.slice(start, (bytes + page - 1) / page * page);
    }

    /** The bytes to deliver. */
    ByteBuffer answer() {
        int available = Math.min(lengthBytes, filledBytes - skipFirstBytes);
        return available <= 0 ? data.slice(0, 0) : data.slice(skipFirstBytes, available);
    }

    Range firstMissing() {
        return nextRange(0, false);
    }

    Range nextMissing(Range after) {
        return nextRange(after.end(), false);
    }

    Range firstClaimed() {
        return nextRange(0, true);
    }

    Range nextClaimed(Range after) {
        return nextRange(after.end(), true);
    }

    /** Reads the wanted bytes of a range from the backing; returns how many there were. */
    int readWanted(Range range) throws IOException {
        int start = range.first() * geometry.blockBytes() + skipBytes(range.first());
        int end = (range.end() - 1) * geometry.blockBytes() + endInBlock(range.end() - 1);
        return read(range, start, end);
    }

    /** Reads the whole blocks of a range from the backing, in one read. */
    void readBlocks(Range range) throws IOException {
        int start = range.first() * geometry.blockBytes();
        int end = range.end() * geometry.blockBytes();
        int bytes = read(range, start, end);
        zero(start + bytes, end);
        file.backing().forgetPages(geometry.startOf(firstBlock) + start, bytes);
    }

    boolean claim(int i, BlockClaims fills) {
        claims[i] = fills.claim(file.id(), block(i));
        return claims[i] != null;
    }

    BlockClaims.Claim claimOf(int i) {
        return claims[i];
    }

    void release(int i, BlockClaims fills) {
        fills.release(file.id(), block(i), claims[i]);
        claims[i] = null;
    }

    void releaseClaims(BlockClaims fills) {
        for (int i = 0; i < blockCount; i++) {
            if (claims[i] != null) {
                release(i, fills);
            }
        }
    }

    private int read(Range range, int start, int end) throws IOException {
        int bytes =
                file.backing()
                        .read(data.slice(start, end - start), geometry.startOf(firstBlock) + start);
        if (bytes < end - start && file.isLongerThanBacking()) {
            zero(start + bytes, end);
            filledBytes = Math.min(filledBytes, bytesOfFile());
        } else if (bytes < end - start) {
            filledBytes = Math.min(filledBytes, start + bytes);
        }
        for (int i = range.first(); i < range.end(); i++) {
            missing[i] = false;
        }
        return bytes;
    }

    /** How much of the buffer lies before the end that applications see. */
    private int bytesOfFile() {
        long bytes = file.sizeBytes() - geometry.startOf(firstBlock);
        return (int) Math.max(0, Math.min(data.capacity(), bytes));
    }

    private Range nextRange(int from, boolean claimed) {
        int first = from;
        while (first < blockCount && !inRange(first, claimed)) {
            first++;
        }
        int end = first;
        while (end < blockCount && inRange(end, claimed)) {
            end++;
        }
        return first == end ? null : new Range(first, end);
    }

    private boolean inRange(int i, boolean claimed) {
        return missing[i] && (!claimed || claims[i] != null);
    }

    private int endInBlock(int i) {
        int wantedEnd = skipFirstBytes + lengthBytes - i * geometry.blockBytes();
        return Math.min(geometry.blockBytes(), wantedEnd);
    }

    private void zero(int from, int to) {
        for (int i = from; i < to; i++) {
            data.put(i, (byte) 0);
        }
    }
}
