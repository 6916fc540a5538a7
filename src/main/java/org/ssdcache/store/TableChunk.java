package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;

/** A stretch of the slot table in memory: read in one go, changed, written back by pages. */
final class TableChunk {
    private static final int BYTES = 1 << 20;
    private static final int SECTOR_BYTES = StoreGeometry.SECTOR_BYTES;
    private static final int PAGE_BYTES = StoreGeometry.TABLE_PAGE_BYTES;

    /** Entries, at the places {@link #at} tells. */
    final ByteBuffer entries = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final int entryBytes;
    private final int entriesPerSector;
    private final ByteBuffer io = Buffers.direct(BYTES);
    private final BitSet changedPages = new BitSet();
    private int firstSlot;
    private int endSlot;

    TableChunk(StoreDisk disk, StoreGeometry geometry) {
        this.disk = disk;
        this.geometry = geometry;
        entryBytes = geometry.slotEntryBytes();
        entriesPerSector = SECTOR_BYTES / entryBytes;
    }

    int slotsPerChunk() {
        return BYTES / SECTOR_BYTES * entriesPerSector;
    }

    /** Reads the chunk that begins with a slot, a multiple of {@link #slotsPerChunk}. */
    void read(int first) throws IOException {
        firstSlot = first;
        endSlot = (int) Math.min(geometry.slotCount(), (long) first + slotsPerChunk());
        int sectors = (endSlot - firstSlot + entriesPerSector - 1) / entriesPerSector;
        int bytes = (sectors * SECTOR_BYTES + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        disk.read(io.clear().limit(bytes), offset());
        entries.clear().put(io.flip()).clear();
        changedPages.clear();
    }

    int firstSlot() {
        return firstSlot;
    }

    int endSlot() {
        return endSlot;
    }

    int at(int slot) {
        int place = slot - firstSlot;
        return place / entriesPerSector * SECTOR_BYTES + place % entriesPerSector * entryBytes;
    }

    void markChanged(int slot) {
        changedPages.set(at(slot) / PAGE_BYTES);
    }

    /** Writes runs of changed pages. Not synced. */
    void writeChanged() throws IOException {
        int from = changedPages.nextSetBit(0);
        while (from >= 0) {
            int to = changedPages.nextClearBit(from);
            io.clear().limit(to * PAGE_BYTES).position(from * PAGE_BYTES);
            io.put(entries.slice(from * PAGE_BYTES, (to - from) * PAGE_BYTES));
            io.position(from * PAGE_BYTES);
            disk.write(io, offset() + (long) from * PAGE_BYTES);
            from = changedPages.nextSetBit(to);
        }
    }

    private long offset() {
        return geometry.slotTableOffset() + (long) (firstSlot / entriesPerSector) * SECTOR_BYTES;
    }
}
