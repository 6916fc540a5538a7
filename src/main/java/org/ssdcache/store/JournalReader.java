package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads the journal from its tail.
 *
 * <p>The journal ends before the first block that is not whole, not of this store or not the next
 * number. What lies behind was never acknowledged: a sync makes all blocks before its own durable
 * too.
 */
final class JournalReader {
    private static final int READ_BLOCKS = 64;

    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final long storeId;
    private final ByteBuffer blocks = Buffers.direct(READ_BLOCKS * JournalBlock.BYTES);
    private final JournalRecord record = new JournalRecord();

    JournalReader(StoreDisk disk, StoreGeometry geometry, long storeId) {
        this.disk = disk;
        this.geometry = geometry;
        this.storeId = storeId;
    }

    /** Takes the records one after the other; the object is used again for the next. */
    interface Visitor {
        void record(long sequence, JournalRecord record) throws IOException;
    }

    /**
     * How far the journal went.
     *
     * @param endBlock the block after the last one read
     * @param nextSequence the sequence after the last record, 0 if there was none
     * @param durableSequence the highest any block stated, 0 if there was none
     */
    record End(long endBlock, long nextSequence, long durableSequence) {}

    /** Reads blocks from a number to another, exclusive, or to the journal's end before it. */
    End read(long fromBlock, long toBlock, Visitor visitor) throws IOException {
        long limit = Math.min(toBlock, fromBlock + geometry.journalBlocks());
        End end = new End(fromBlock, 0, 0);
        while (end.endBlock < limit) {
            int count = readRun(end.endBlock, limit);
            for (int i = 0; i < count; i++) {
                End next = block(i * JournalBlock.BYTES, end, visitor);
                if (next == null) {
                    return end;
                }
                end = next;
            }
        }
        return end;
    }

    private int readRun(long block, long limit) throws IOException {
        int place = (int) (block % geometry.journalBlocks());
        int count = (int) Math.min(READ_BLOCKS, limit - block);
        count = Math.min(count, geometry.journalBlocks() - place);
        disk.read(blocks.clear().limit(count * JournalBlock.BYTES), offsetOf(place));
        return count;
    }

    /** Null where the journal has ended. */
    private End block(int at, End before, Visitor visitor) throws IOException {
        if (!JournalBlock.isValid(blocks, at, storeId, before.endBlock)) {
            return null;
        }
        long first = JournalBlock.firstRecord(blocks, at);
        if (before.nextSequence != 0 && first != before.nextSequence) {
            return null;
        }
        int count = JournalBlock.recordCount(blocks, at);
        int start = at + JournalBlock.HEADER_BYTES;
        blocks.limit(start + JournalBlock.recordBytes(blocks, at)).position(start);
        for (int i = 0; i < count; i++) {
            record.read(blocks, geometry);
            visitor.record(first + i, record);
        }
        long durable = Math.max(before.durableSequence, JournalBlock.durableSequence(blocks, at));
        blocks.clear();
        return new End(before.endBlock + 1, first + count, durable);
    }

    /** Where a place of the ring is in the file. */
    static long offsetOf(int place) {
        return StoreGeometry.JOURNAL_OFFSET + (long) place * JournalBlock.BYTES;
    }
}
