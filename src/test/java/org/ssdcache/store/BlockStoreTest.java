package org.ssdcache.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.ssdcache.store.StoreFixture.ALL;
import static org.ssdcache.store.StoreFixture.BOOT;
import static org.ssdcache.store.StoreFixture.NEXT_BOOT;
import static org.ssdcache.store.StoreFixture.data;
import static org.ssdcache.store.StoreFixture.facts;
import static org.ssdcache.store.StoreFixture.id;
import static org.ssdcache.store.StoreFixture.open;
import static org.ssdcache.store.StoreFixture.put;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.ssdcache.store.StoreFixture.Contents;
import org.ssdcache.testing.FaultyBlockFile;
import org.ssdcache.testing.MemoryBlockFile;

class BlockStoreTest {
    private static String full(int file, int block) {
        return Contents.describe(file, block, ALL, 0);
    }

    @Test
    void aNewStoreIsCleanAndEmpty() throws IOException {
        try (BlockStore store = open(StoreFixture.formatted(), BOOT)) {
            assertTrue(store.wasClean());
            assertEquals(StoreFixture.GEOMETRY, store.geometry());
            assertEquals(StoreFixture.ID, store.identity());
            assertEquals(Map.of(), Contents.of(store).slots);
            assertEquals(Map.of(), Contents.of(store).files);
            assertEquals(0, store.leaseNanosAtOpen());
        }
    }

    @Test
    void aCleanCloseKeepsEverything() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        store.fileDefined(3, id(30), facts(100));
        put(store, 7, 3, 12, 1);
        put(store, 8, 3, 13, 1);
        store.slotFreed(8);
        store.fileDefined(3, id(30), facts(200));
        store.extendLease(987_654_321L);
        MemoryBlockFile closed = closeClean(store, file);

        try (BlockStore again = open(closed, NEXT_BOOT)) {
            assertTrue(again.wasClean());
            Contents contents = Contents.of(again);
            assertEquals(Map.of(7, full(3, 12)), contents.slots);
            assertEquals(Map.of(3, id(30)), contents.files);
            assertEquals(Map.of(3, facts(200)), contents.facts);
            assertEquals(ALL, StoreFixture.soundPages(again, 7));
            assertEquals(987_654_321L, again.leaseNanosAtOpen());
            assertEquals(Set.of(), again.filesWithIntents());
        }
    }

    private static MemoryBlockFile closeClean(BlockStore store, MemoryBlockFile file)
            throws IOException {
        store.closeClean();
        return file.copy();
    }

    @Test
    void theCheckpointSequenceOutlivesACleanCloseUnchangedUntilSomethingIsRecorded()
            throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore first = open(file, BOOT);
        first.fileDefined(0, id(1), facts(1));
        first.checkpoint(first.cutJournal());
        long closedAt = first.checkpointSequence();
        file = closeClean(first, file);

        BlockStore second = open(file, BOOT);
        assertEquals(closedAt, second.checkpointSequence());
        file = closeClean(second, file);

        BlockStore third = open(file, BOOT);
        assertEquals(closedAt, third.checkpointSequence());
        third.fileDropped(0);
        third.checkpoint(third.cutJournal());
        assertTrue(third.checkpointSequence() > closedAt);
        long moved = third.checkpointSequence();
        file = closeClean(third, file);
        try (BlockStore fourth = open(file, BOOT)) {
            assertEquals(moved, fourth.checkpointSequence());
        }
    }

    @Test
    void aStoreThatWasNotClosedIsNotClean() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        MemoryBlockFile left = file.copy();
        store.close();
        try (BlockStore again = open(left, BOOT)) {
            assertFalse(again.wasClean());
        }
    }

    @Test
    void aReusedFileNumberNeverAdoptsOldBlocks() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        store.fileDefined(0, id(1), facts(1));
        put(store, 1, 0, 10, 1);
        put(store, 2, 0, 11, 1);
        store.checkpoint(store.cutJournal());
        store.fileDropped(0);
        store.fileDefined(0, id(2), facts(2));
        put(store, 2, 0, 11, 2);
        MemoryBlockFile closed = closeClean(store, file);
        try (BlockStore again = open(closed, BOOT)) {
            assertEquals(Map.of(2, full(0, 11)), Contents.of(again).slots);
            assertEquals(Map.of(0, id(2)), Contents.of(again).files);
            assertEquals(ALL, StoreFixture.soundPages(again, 2));
        }
    }

    @Test
    void aNumberDefinedForAnotherFileWithoutADropIsAnotherFileToo() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        store.fileDefined(0, id(1), facts(1));
        put(store, 1, 0, 10, 1);
        store.fileDefined(0, id(2), facts(1));
        MemoryBlockFile closed = closeClean(store, file);
        try (BlockStore again = open(closed, BOOT)) {
            assertEquals(Map.of(), Contents.of(again).slots);
        }
    }

    @Test
    void pagesAddedLaterKeepTheChecksumsOfThoseBefore() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        store.fileDefined(0, id(1), facts(1));
        ByteBuffer data = data(0, 5, 1);
        int[] checksums = StoreFixture.checksums(data);
        store.writeSlot(9, 0, data);
        store.slotMapped(9, 0, 5, 0b0011, 0, 0b0011, checksums);
        store.checkpoint(store.cutJournal());
        store.slotMapped(9, 0, 5, 0b0111, 0, 0b0100, checksums);
        store.checkpoint(store.cutJournal());
        store.slotMapped(9, 0, 5, 0b1101, 0, 0b1000, checksums);
        MemoryBlockFile closed = closeClean(store, file);
        try (BlockStore again = open(closed, BOOT)) {
            assertEquals(Map.of(9, Contents.describe(0, 5, 0b1101, 0)), Contents.of(again).slots);
            assertEquals(0b1101, StoreFixture.soundPages(again, 9) & 0b1101);
        }
    }

    @Test
    void killKeepsWhatWasWrittenWithoutSync() throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        BlockStore store = open(disk, BOOT);
        store.fileDefined(0, id(1), facts(1));
        put(store, 1, 0, 10, 1);
        store.writeJournal();
        put(store, 2, 0, 11, 1);
        MemoryBlockFile left = disk.kill();
        store.close();
        try (BlockStore again = open(left, BOOT)) {
            assertEquals(Map.of(1, full(0, 10)), Contents.of(again).slots);
            assertEquals(ALL, StoreFixture.soundPages(again, 1));
        }
    }

    @Test
    void powerLossDropsCleanSlotsThatMayNotHaveReachedTheDisk() throws IOException {
        // The journal got to the disk in full, as if by luck; who knows about the slots' data.
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        BlockStore store = open(disk, BOOT);
        store.fileDefined(0, id(1), facts(1));
        put(store, 1, 0, 10, 1);
        store.sync();
        put(store, 2, 0, 11, 1);
        store.slotFreed(1);
        put(store, 3, 0, 12, 1);
        store.writeJournal();
        MemoryBlockFile left = disk.kill();
        store.close();
        try (BlockStore again = open(left.copy(), NEXT_BOOT)) {
            assertEquals(Map.of(), Contents.of(again).slots, "a free counts, a map does not");
            assertEquals(Map.of(0, id(1)), Contents.of(again).files);
        }
        try (BlockStore again = open(left, BOOT)) {
            assertEquals(Set.of(2, 3), Contents.of(again).slots.keySet());
        }
    }

    @Test
    void powerLossKeepsThePagesThatWereDurableBeforeOthersWereAdded() throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        BlockStore store = open(disk, BOOT);
        store.fileDefined(0, id(1), facts(1));
        int[] checksums = StoreFixture.checksums(data(0, 10, 1));
        store.writeSlot(1, 0, data(0, 10, 1));
        store.slotMapped(1, 0, 10, 0b0011, 0, 0b0011, checksums);
        store.sync();
        store.slotMapped(1, 0, 10, 0b0111, 0, 0b0100, checksums);
        store.writeJournal();
        MemoryBlockFile left = disk.kill();
        store.close();
        try (BlockStore again = open(left, NEXT_BOOT)) {
            assertEquals(Map.of(1, Contents.describe(0, 10, 0b0011, 0)), Contents.of(again).slots);
        }
    }

    @Test
    void powerLossKeepsDirtySlotsWhoseDataIsThere() throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        BlockStore store = open(disk, BOOT);
        store.fileDefined(0, id(1), facts(1));
        put(store, 1, 0, 10, 1, 0b0001);
        put(store, 2, 0, 11, 1, ALL);
        store.sync();
        MemoryBlockFile left = disk.crash();
        store.close();
        left.write(data(9, 9, 9).limit(512), StoreFixture.GEOMETRY.slotOffset(2) + 4096);
        try (BlockStore again = open(left, NEXT_BOOT)) {
            assertEquals(
                    Map.of(1, Contents.describe(0, 10, ALL, 0b0001)),
                    Contents.of(again).slots,
                    "an acknowledged sync holds; bytes that differ were never acknowledged");
        }
    }

    @Test
    void intentsDropOnlyTheRecordedRegionsAndOnlyCleanPages() throws IOException {
        int blocksPerRegion = (int) (BlockStore.INTENT_REGION_BYTES / StoreFixture.BLOCK_BYTES);
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        BlockStore store = open(disk, BOOT);
        for (int file = 0; file < 4; file++) {
            store.fileDefined(file, id(file), facts(1));
        }
        put(store, 1, 0, blocksPerRegion - 1, 1);
        put(store, 2, 0, blocksPerRegion, 1);
        put(store, 3, 0, 2 * blocksPerRegion, 1);
        put(store, 4, 0, blocksPerRegion + 1, 1, 0b0110);
        put(store, 5, 1, 0, 1);
        put(store, 6, 1, 5 * blocksPerRegion, 1);
        put(store, 7, 2, 0, 1);
        put(store, 8, 3, 0, 1);
        store.writeIntended(2, 0);
        store.checkpoint(store.cutJournal());
        store.writeIntended(0, 1);
        store.writeIntended(1, BlockStore.WHOLE_FILE);
        store.writeIntended(3, 0);
        store.fileDropped(3);
        store.sync();
        MemoryBlockFile left = disk.crash();
        store.close();
        MemoryBlockFile twice;
        try (BlockStore again = open(left, NEXT_BOOT)) {
            assertEquals(Set.of(0, 1), again.filesWithIntents());
            Contents contents = Contents.of(again);
            assertEquals(
                    Map.of(
                            1,
                            full(0, blocksPerRegion - 1),
                            3,
                            full(0, 2 * blocksPerRegion),
                            4,
                            Contents.describe(0, blocksPerRegion + 1, 0b0110, 0b0110),
                            7,
                            full(2, 0)),
                    contents.slots);
            twice = left.copy();
        }
        try (BlockStore again = open(twice, NEXT_BOOT)) {
            assertEquals(Set.of(), again.filesWithIntents(), "intents are over with the replay");
        }
    }

    @Test
    void slotIoStaysInsideTheSlot() throws IOException {
        try (BlockStore store = open(StoreFixture.formatted(), BOOT)) {
            ByteBuffer tooLong = ByteBuffer.allocateDirect(StoreFixture.BLOCK_BYTES);
            assertThrows(IllegalArgumentException.class, () -> store.writeSlot(0, 4096, tooLong));
            assertThrows(IllegalArgumentException.class, () -> store.readSlot(0, 1, tooLong));
            assertThrows(IllegalArgumentException.class, () -> store.readSlot(200, 0, tooLong));
            ByteBuffer part = ByteBuffer.allocateDirect(4096);
            store.writeSlot(199, 0, data(1, 2, 3));
            store.readSlot(199, 8192, part);
            assertEquals(data(1, 2, 3).slice(8192, 4096), part.flip());
        }
    }

    @Test
    void aChecksumLeavesThePositionAlone() {
        ByteBuffer data = data(1, 2, 3).position(4096);
        int checksum = BlockStore.pageChecksum(data);
        assertEquals(4096, data.position());
        assertEquals(StoreFixture.BLOCK_BYTES, data.limit());
        assertEquals(StoreFixture.checksums(data(1, 2, 3))[1], checksum);
    }

    @Test
    void twoCheckpointsInARowAndEmptyOnesChangeNothing() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        store.checkpoint(store.cutJournal());
        store.fileDefined(0, id(1), facts(1));
        put(store, 1, 0, 1, 1);
        long cut = store.cutJournal();
        put(store, 2, 0, 2, 1);
        store.checkpoint(cut);
        assertTrue(store.journalFill() > 0, "what was recorded after the cut is still there");
        store.checkpoint(cut);
        store.checkpoint(store.cutJournal());
        store.checkpoint(store.cutJournal());
        assertEquals(0, store.journalFill());
        MemoryBlockFile left = file.copy();
        store.close();
        try (BlockStore again = open(left, NEXT_BOOT)) {
            assertEquals(Set.of(1, 2), Contents.of(again).slots.keySet());
        }
    }
}
