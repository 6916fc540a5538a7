package org.ssdcache.store;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Entries of the slot table at a place in a heap buffer, read and written field by field so that a
 * scan of millions makes no garbage. Not thread-safe.
 */
final class SlotEntry {
    private static final int FREE = 0;
    private static final int MAPPED = 1;

    private static final int STATE = 4;
    private static final int FILE = 8;
    private static final int BLOCK = 12;
    private static final int VALID = 16;
    private static final int DIRTY = 20;
    private static final int SEQUENCE = 24;
    private static final int CHECKSUMS = StoreGeometry.SLOT_ENTRY_FIXED_BYTES;

    private final int bytes;
    private final int allPages;
    private final CRC32C crc = new CRC32C();

    SlotEntry(StoreGeometry geometry) {
        bytes = geometry.slotEntryBytes();
        int pages = geometry.pagesPerBlock();
        allPages = pages == Integer.SIZE ? -1 : (1 << pages) - 1;
    }

    /** Whether the entry is whole, of this slot, and says that the slot holds a block. */
    boolean isMapped(ByteBuffer from, int at, int slot) {
        return from.getInt(at + STATE) == MAPPED
                && from.getInt(at) == crc(from, at, slot)
                && validPages(from, at) != 0
                && (validPages(from, at) & ~allPages) == 0
                && (dirtyPages(from, at) & ~validPages(from, at)) == 0;
    }

    static int file(ByteBuffer from, int at) {
        return from.getInt(at + FILE);
    }

    static int block(ByteBuffer from, int at) {
        return from.getInt(at + BLOCK);
    }

    static int validPages(ByteBuffer from, int at) {
        return from.getInt(at + VALID);
    }

    static int dirtyPages(ByteBuffer from, int at) {
        return from.getInt(at + DIRTY);
    }

    static long sequence(ByteBuffer from, int at) {
        return from.getLong(at + SEQUENCE);
    }

    static int checksum(ByteBuffer from, int at, int page) {
        return from.getInt(at + CHECKSUMS + page * Integer.BYTES);
    }

    static void putChecksum(ByteBuffer to, int at, int page, int checksum) {
        to.putInt(at + CHECKSUMS + page * Integer.BYTES, checksum);
    }

    /** Writes all but the page checksums, which are there already, and the entry's own. */
    void putMapped(
            ByteBuffer to, int at, int slot, int file, int block, int valid, int dirty, long seq) {
        to.putInt(at + STATE, MAPPED).putInt(at + FILE, file).putInt(at + BLOCK, block);
        to.putInt(at + VALID, valid).putInt(at + DIRTY, dirty).putLong(at + SEQUENCE, seq);
        to.putInt(at, crc(to, at, slot));
    }

    void putFree(ByteBuffer to, int at) {
        Buffers.zero(to, at, at + bytes);
        assert to.getInt(at + STATE) == FREE;
    }

    /** The slot number goes in, so that an entry in another's place does not count. */
    private int crc(ByteBuffer buffer, int at, int slot) {
        crc.reset();
        crc.update(buffer.array(), buffer.arrayOffset() + at + STATE, bytes - STATE);
        return (int) crc.getValue() + slot;
    }
}
