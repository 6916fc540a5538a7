package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.store.StoreFinding.Area;

/**
 * Looks at the entries of the slot table, and compares the slots' data with the checksums in them:
 * of dirty pages always, of clean ones if asked. Then it looks for blocks that are in two slots.
 */
final class SlotTableCheck {
    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final SlotEntry codec;
    private final FileTableCheck files;
    private final DirtyPages dirtyPages;
    private final Findings findings;
    private final boolean cleanData;
    private final LongConsumer progressSlots;
    private final ByteBuffer block;

    /** Of the live slots, file and block in one number; at most 8 bytes a slot of the store. */
    private long[] blocks = new long[1024];

    private int count;

    SlotTableCheck(
            StoreDisk disk,
            StoreGeometry geometry,
            FileTableCheck files,
            DirtyPages dirtyPages,
            Findings findings,
            boolean cleanData,
            LongConsumer progressSlots) {
        this.disk = disk;
        this.geometry = geometry;
        this.codec = new SlotEntry(geometry);
        this.files = files;
        this.dirtyPages = dirtyPages;
        this.findings = findings;
        this.cleanData = cleanData;
        this.progressSlots = progressSlots;
        this.block = Buffers.direct(geometry.blockBytes());
    }

    /** Takes entries that are not all zeros. */
    private interface Visitor {
        void entry(ByteBuffer entries, int at, int slot) throws IOException;
    }

    void run() throws IOException {
        scan(this::look, progressSlots);
        long[] sorted = Arrays.copyOf(blocks, count);
        Arrays.sort(sorted);
        Map<Long, List<long[]>> twice = new HashMap<>();
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                twice.put(sorted[i], new ArrayList<>());
            }
        }
        if (!twice.isEmpty()) {
            scan((entries, at, slot) -> collect(entries, at, slot, twice), slots -> {});
            twice.values().forEach(this::reportTwice);
        }
    }

    /** Slots that hold blocks of files in use. */
    long slots() {
        return count;
    }

    private void scan(Visitor visitor, LongConsumer progress) throws IOException {
        TableChunk chunk = new TableChunk(disk, geometry);
        for (long first = 0; first < geometry.slotCount(); first += chunk.slotsPerChunk()) {
            chunk.read((int) first);
            for (int slot = chunk.firstSlot(); slot < chunk.endSlot(); slot++) {
                int at = chunk.at(slot);
                if (!Buffers.isZero(chunk.entries, at, at + geometry.slotEntryBytes())) {
                    visitor.entry(chunk.entries, at, slot);
                }
                progress.accept(slot + 1L);
            }
        }
    }

    private void look(ByteBuffer entries, int at, int slot) throws IOException {
        int file = SlotEntry.file(entries, at);
        int dirty = SlotEntry.dirtyPages(entries, at);
        if (!codec.isMapped(entries, at, slot)) {
            reportDamaged(slot, dirty);
        } else if (files.isLive(file, SlotEntry.sequence(entries, at))) {
            int number = SlotEntry.block(entries, at);
            remember(file, number);
            if (dirty != 0) {
                dirtyPages.add(file, number, dirty);
            }
            compare(entries, at, slot);
        } else if (dirty != 0 && file >= 0) {
            dirtyPages.addUnknown(file);
        }
    }

    private void reportDamaged(int slot, int dirty) {
        if (dirty != 0) {
            findings.add(
                    Area.SLOT_TABLE,
                    "slot " + slot,
                    "its entry is damaged, and may be of data that the backing does not have",
                    true);
        } else {
            findings.addRepairable(
                    Area.SLOT_TABLE,
                    "slot " + slot,
                    "its entry is damaged; it becomes free",
                    false,
                    offsetOf(slot),
                    Buffers.direct(geometry.slotEntryBytes()));
        }
    }

    private void remember(int file, int number) {
        if (count == blocks.length) {
            blocks = Arrays.copyOf(blocks, 2 * count);
        }
        blocks[count++] = key(file, number);
    }

    private static long key(int file, int number) {
        return (long) file << Integer.SIZE | number;
    }

    private void compare(ByteBuffer entries, int at, int slot) throws IOException {
        int valid = SlotEntry.validPages(entries, at);
        int dirty = SlotEntry.dirtyPages(entries, at);
        int wrong = 0;
        for (int rest = cleanData ? valid : dirty; rest != 0; rest &= rest - 1) {
            int page = Integer.numberOfTrailingZeros(rest);
            if (!isRight(slot, page, SlotEntry.checksum(entries, at, page))) {
                wrong |= 1 << page;
            }
        }
        String block =
                "slot %d (file %d, block %d)"
                        .formatted(slot, SlotEntry.file(entries, at), SlotEntry.block(entries, at));
        if ((wrong & dirty) != 0) {
            findings.add(
                    Area.SLOT_DATA,
                    block,
                    Integer.bitCount(wrong & dirty)
                            + " pages that the backing does not have are damaged",
                    true);
        }
        if ((wrong & ~dirty) != 0) {
            findings.addRepairable(
                    Area.SLOT_DATA,
                    block,
                    Integer.bitCount(wrong & ~dirty) + " clean pages are not what was stored",
                    false,
                    offsetOf(slot),
                    without(entries, at, slot, wrong & ~dirty));
        }
    }

    private boolean isRight(int slot, int page, int checksum) {
        long offsetBytes = geometry.slotOffset(slot) + (long) page * BlockGeometry.PAGE_BYTES;
        try {
            disk.read(block.clear().limit(BlockGeometry.PAGE_BYTES), offsetBytes);
        } catch (IOException e) {
            // A page that cannot be read is as lost as one that is wrong.
            return false;
        }
        return BlockStore.pageChecksum(block.flip()) == checksum;
    }

    /** The entry without some of its pages. */
    private ByteBuffer without(ByteBuffer entries, int at, int slot, int pages) {
        int bytes = geometry.slotEntryBytes();
        ByteBuffer entry = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        entry.put(entries.slice(at, bytes)).clear();
        int valid = SlotEntry.validPages(entry, 0) & ~pages;
        if (valid == 0) {
            codec.putFree(entry, 0);
        } else {
            codec.putMapped(
                    entry,
                    0,
                    slot,
                    SlotEntry.file(entry, 0),
                    SlotEntry.block(entry, 0),
                    valid,
                    SlotEntry.dirtyPages(entry, 0),
                    SlotEntry.sequence(entry, 0));
        }
        return entry;
    }

    private void collect(ByteBuffer entries, int at, int slot, Map<Long, List<long[]>> twice) {
        int file = SlotEntry.file(entries, at);
        long sequence = SlotEntry.sequence(entries, at);
        List<long[]> slots = twice.get(key(file, SlotEntry.block(entries, at)));
        if (slots != null && codec.isMapped(entries, at, slot) && files.isLive(file, sequence)) {
            slots.add(new long[] {sequence, slot, SlotEntry.dirtyPages(entries, at), file});
        }
    }

    /** The newest of the slots has the block. */
    private void reportTwice(List<long[]> slots) {
        slots.sort((a, b) -> Long.compare(a[0], b[0]));
        long newest = slots.get(slots.size() - 1)[1];
        for (long[] older : slots.subList(0, slots.size() - 1)) {
            int slot = (int) older[1];
            findings.addRepairable(
                    Area.SLOT_TABLE,
                    "slot " + slot,
                    "its block of file %d is in slot %d too, which is newer; it becomes free"
                            .formatted(older[3], newest),
                    older[2] != 0,
                    offsetOf(slot),
                    Buffers.direct(geometry.slotEntryBytes()));
        }
    }

    private long offsetOf(int slot) {
        int entryBytes = geometry.slotEntryBytes();
        int perSector = StoreGeometry.SECTOR_BYTES / entryBytes;
        return geometry.slotTableOffset()
                + (long) (slot / perSector) * StoreGeometry.SECTOR_BYTES
                + (long) (slot % perSector) * entryBytes;
    }
}
