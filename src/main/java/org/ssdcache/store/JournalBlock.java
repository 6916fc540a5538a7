package org.ssdcache.store;

import java.nio.ByteBuffer;

/** The header of a journal block, at a place in a buffer of blocks. */
final class JournalBlock {
    static final int BYTES = StoreGeometry.JOURNAL_BLOCK_BYTES;
    static final int HEADER_BYTES = 48;

    /** "SSJB". */
    private static final int MAGIC = 0x424A5353;

    private static final int CRC = 4;
    private static final int STORE_ID = 8;
    private static final int SEQUENCE = 16;
    private static final int DURABLE = 24;
    private static final int FIRST_RECORD = 32;
    private static final int RECORD_COUNT = 40;
    private static final int RECORD_BYTES = 42;
    private static final int RESERVED = 44;

    private JournalBlock() {}

    /** Ends a block at the buffer's position: no more records, zeros up to its end. */
    static void seal(ByteBuffer blocks, int at, long firstRecord, int recordCount) {
        int used = blocks.position() - at - HEADER_BYTES;
        assert used >= 0 && blocks.position() <= at + BYTES;
        blocks.putLong(at + FIRST_RECORD, firstRecord);
        blocks.putShort(at + RECORD_COUNT, (short) recordCount);
        blocks.putShort(at + RECORD_BYTES, (short) used);
        blocks.putInt(at + RESERVED, 0);
        Buffers.zero(blocks, blocks.position(), at + BYTES);
        blocks.position(at + BYTES);
    }

    /** Makes a sealed block ready to be written. */
    static void finish(ByteBuffer blocks, int at, long storeId, long sequence, long durable) {
        blocks.putInt(at, MAGIC);
        blocks.putLong(at + STORE_ID, storeId);
        blocks.putLong(at + SEQUENCE, sequence);
        blocks.putLong(at + DURABLE, durable);
        blocks.putInt(at + CRC, Buffers.crc(blocks, at + STORE_ID, at + BYTES));
    }

    /** Whether this is the block of that store and number, whole. */
    static boolean isValid(ByteBuffer blocks, int at, long storeId, long sequence) {
        return blocks.getInt(at) == MAGIC
                && blocks.getLong(at + STORE_ID) == storeId
                && blocks.getLong(at + SEQUENCE) == sequence
                && blocks.getShort(at + RECORD_COUNT) > 0
                && blocks.getShort(at + RECORD_BYTES) <= BYTES - HEADER_BYTES
                && blocks.getInt(at + CRC) == Buffers.crc(blocks, at + STORE_ID, at + BYTES);
    }

    static long firstRecord(ByteBuffer blocks, int at) {
        return blocks.getLong(at + FIRST_RECORD);
    }

    static int recordCount(ByteBuffer blocks, int at) {
        return blocks.getShort(at + RECORD_COUNT);
    }

    static int recordBytes(ByteBuffer blocks, int at) {
        return blocks.getShort(at + RECORD_BYTES);
    }

    /** The highest record whose slot data was durable when the block was written. */
    static long durableSequence(ByteBuffer blocks, int at) {
        return blocks.getLong(at + DURABLE);
    }
}
