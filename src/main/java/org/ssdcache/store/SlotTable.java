package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.MappingSink;

/** The slot table on the disk. Changed under the checkpoint lock. */
final class SlotTable {
    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final SlotEntry codec;
    private final ThreadLocal<ByteBuffer> sectorOfThread =
            ThreadLocal.withInitial(() -> Buffers.direct(StoreGeometry.SECTOR_BYTES));

    SlotTable(StoreDisk disk, StoreGeometry geometry) {
        this.disk = disk;
        this.geometry = geometry;
        this.codec = new SlotEntry(geometry);
    }

    /**
     * Hands every mapped slot of a live file to a sink.
     *
     * @param createdSequences by file number, as {@link FileEntryTable#load} gave them
     */
    void load(long[] createdSequences, MappingSink sink) throws IOException {
        TableChunk chunk = new TableChunk(disk, geometry);
        ByteBuffer entries = chunk.entries;
        for (long first = 0; first < geometry.slotCount(); first += chunk.slotsPerChunk()) {
            chunk.read((int) first);
            for (int slot = chunk.firstSlot(); slot < chunk.endSlot(); slot++) {
                int at = chunk.at(slot);
                if (codec.isMapped(entries, at, slot) && isLive(entries, at, createdSequences)) {
                    sink.slot(
                            slot,
                            SlotEntry.file(entries, at),
                            SlotEntry.block(entries, at),
                            SlotEntry.validPages(entries, at),
                            SlotEntry.dirtyPages(entries, at));
                }
            }
        }
    }

    private static boolean isLive(ByteBuffer entries, int at, long[] createdSequences) {
        int file = SlotEntry.file(entries, at);
        return file >= 0
                && file < createdSequences.length
                && SlotEntry.sequence(entries, at) > createdSequences[file];
    }

    /** Fills in the checksums of a slot's pages as the table has them. */
    void readChecksums(int slot, int[] target) throws IOException {
        int perSector = StoreGeometry.SECTOR_BYTES / geometry.slotEntryBytes();
        ByteBuffer sector = sectorOfThread.get().clear();
        disk.read(
                sector,
                geometry.slotTableOffset()
                        + (long) (slot / perSector) * StoreGeometry.SECTOR_BYTES);
        int at = slot % perSector * geometry.slotEntryBytes();
        for (int page = 0; page < geometry.pagesPerBlock(); page++) {
            target[page] = SlotEntry.checksum(sector, at, page);
        }
    }

    /** Decides which changes count whose data may not have reached the disk. */
    void settle(SlotChanges changes, Proof proof) throws IOException {
        new UnprovenSlots(disk, geometry, changes, proof.kernelLives()).settle();
    }

    /**
     * Writes what the journal changed, and drops clean pages that may differ from the backing. Not
     * synced. Done twice it does the same, also if the first time ended half way.
     */
    void apply(SlotChanges changes, Intents intents) throws IOException {
        int[] places = changes.placesBySlot();
        TableChunk chunk = new TableChunk(disk, geometry);
        int next = 0;
        for (long first = 0; first < geometry.slotCount(); first += chunk.slotsPerChunk()) {
            long end = first + chunk.slotsPerChunk();
            boolean touched = next < places.length && changes.slot(places[next]) < end;
            if (!touched && intents.coverNothing()) {
                continue;
            }
            chunk.read((int) first);
            while (next < places.length && changes.slot(places[next]) < end) {
                merge(chunk, changes, places[next]);
                next++;
            }
            if (!intents.coverNothing()) {
                dropIntended(chunk, intents);
            }
            chunk.writeChanged();
        }
    }

    private void merge(TableChunk chunk, SlotChanges changes, int place) {
        ByteBuffer entries = chunk.entries;
        int slot = changes.slot(place);
        if (changes.isUntouched(place)) {
            giveUp(chunk, slot, changes.givenUpPages(place));
            return;
        }
        int at = chunk.at(slot);
        chunk.markChanged(slot);
        boolean continues =
                !changes.isFresh(place)
                        && codec.isMapped(entries, at, slot)
                        && SlotEntry.file(entries, at) == changes.file(place)
                        && SlotEntry.block(entries, at) == changes.block(place);
        int inTable = continues ? SlotEntry.validPages(entries, at) : 0;
        int valid = changes.validPages(place) & (changes.knownPages(place) | inTable);
        if (!continues || valid == 0) {
            codec.putFree(entries, at);
        }
        if (valid == 0) {
            return;
        }
        for (int rest = changes.knownPages(place) & valid; rest != 0; rest &= rest - 1) {
            int page = Integer.numberOfTrailingZeros(rest);
            SlotEntry.putChecksum(entries, at, page, changes.checksum(place, page));
        }
        codec.putMapped(
                entries,
                at,
                slot,
                changes.file(place),
                changes.block(place),
                valid,
                changes.dirtyPages(place) & valid,
                changes.sequence(place));
    }

    /** A slot without a record keeps its entry, but for some pages. */
    private void giveUp(TableChunk chunk, int slot, int pages) {
        int at = chunk.at(slot);
        if (codec.isMapped(chunk.entries, at, slot)) {
            int valid = SlotEntry.validPages(chunk.entries, at) & ~pages;
            int dirty = SlotEntry.dirtyPages(chunk.entries, at) & ~pages;
            keepPages(chunk, slot, valid, dirty);
        }
    }

    /** Changes the pages of a mapped slot. */
    private void keepPages(TableChunk chunk, int slot, int valid, int dirty) {
        ByteBuffer entries = chunk.entries;
        int at = chunk.at(slot);
        chunk.markChanged(slot);
        if (valid == 0) {
            codec.putFree(entries, at);
            return;
        }
        codec.putMapped(
                entries,
                at,
                slot,
                SlotEntry.file(entries, at),
                SlotEntry.block(entries, at),
                valid,
                dirty,
                SlotEntry.sequence(entries, at));
    }

    private void dropIntended(TableChunk chunk, Intents intents) {
        ByteBuffer entries = chunk.entries;
        for (int slot = chunk.firstSlot(); slot < chunk.endSlot(); slot++) {
            int at = chunk.at(slot);
            if (!codec.isMapped(entries, at, slot)
                    || !intents.covers(SlotEntry.file(entries, at), SlotEntry.block(entries, at))) {
                continue;
            }
            int dirty = SlotEntry.dirtyPages(entries, at);
            if (dirty == SlotEntry.validPages(entries, at)) {
                continue;
            }
            keepPages(chunk, slot, dirty, dirty);
        }
    }
}
