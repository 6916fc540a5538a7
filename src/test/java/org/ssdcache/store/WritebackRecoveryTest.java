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
import static org.ssdcache.store.StoreFixture.move;
import static org.ssdcache.store.StoreFixture.open;
import static org.ssdcache.store.StoreFixture.pending;
import static org.ssdcache.store.StoreFixture.put;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.StoreFixture.Contents;
import org.ssdcache.testing.FaultyBlockFile;
import org.ssdcache.testing.MemoryBlockFile;

/**
 * What is believed after a crash of records about dirty pages that no sync covered: the journal is
 * all there, and each test says which slots' data is. Slot 1 holds version 1 of block 10, dirty and
 * durable, when a test begins.
 */
class WritebackRecoveryTest {
    private static final int EIO = 5;
    private static final String BLOCK_10 = Contents.describe(0, 10, ALL, ALL);

    private FaultyBlockFile disk;
    private BlockStore store;

    @BeforeEach
    void aDurableDirtyBlock() throws IOException {
        disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        store = open(disk, BOOT);
        store.fileDefined(0, id(1), facts(1));
        put(store, 1, 0, 10, 1, ALL);
        store.sync();
    }

    /** The file after a kill in which the data of some slots got lost. */
    private MemoryBlockFile without(int... slots) throws IOException {
        store.writeJournal();
        MemoryBlockFile left = disk.kill();
        store.close();
        for (int slot : slots) {
            // One sector of the second page.
            long at = StoreFixture.GEOMETRY.slotOffset(slot) + 4096 + 1024;
            left.write(ByteBuffer.allocateDirect(512), at);
        }
        return left;
    }

    /** What is in the slots, opened twice and with the replay of either boot the same. */
    private static Map<Integer, String> slotsOf(MemoryBlockFile left, String bootId)
            throws IOException {
        Map<Integer, String> slots;
        try (BlockStore opened = open(left, bootId)) {
            Contents contents = Contents.of(opened);
            slots = contents.slots;
            for (var mapping : contents.mappings.entrySet()) {
                int dirty = mapping.getValue()[3];
                assertEquals(dirty, StoreFixture.soundPages(opened, mapping.getKey()) & dirty);
            }
        }
        return slots;
    }

    @ParameterizedTest
    @ValueSource(strings = {BOOT, NEXT_BOOT})
    void aMoveCountsWhenItsDataIsThere(String bootId) throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        assertEquals(Map.of(2, BLOCK_10), slotsOf(without(), bootId));
    }

    @ParameterizedTest
    @ValueSource(strings = {BOOT, NEXT_BOOT})
    void aMoveWhoseDataIsLostLeavesTheBlockWhereItWas(String bootId) throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        assertEquals(Map.of(1, BLOCK_10), slotsOf(without(2), bootId));
    }

    @ParameterizedTest
    @ValueSource(strings = {BOOT, NEXT_BOOT})
    void aMoveAfterACheckpointFallsBackToTheTable(String bootId) throws IOException {
        store.checkpoint(store.cutJournal());
        move(store, 1, 2, 0, 10, 2, 0b0110);
        assertEquals(Map.of(1, BLOCK_10), slotsOf(without(2), bootId));
    }

    @Test
    void aSlotThatCannotBeReadIsNotTakenForAnOlderOne() throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        MemoryBlockFile left = without();
        int opened = 0;
        boolean failed = true;
        for (int n = 1; failed; n++) {
            FaultyBlockFile bad = new FaultyBlockFile(left.copy(), n);
            bad.failOperation(n, EIO);
            try (BlockStore again = open(bad, BOOT)) {
                failed = bad.operations() >= n;
                opened += failed ? 1 : 0;
                bad.failOperation(Long.MAX_VALUE, EIO);
                assertEquals(Map.of(2, BLOCK_10), Contents.of(again).slots, "operation " + n);
            } catch (ErrnoException e) {
                assertTrue(bad.operations() >= n, "operation " + n);
            }
        }
        // Slots 1 and 2 are compared; nothing else may fail.
        assertEquals(1, opened);
    }

    @Test
    void aChainOfMovesEndsAtTheNewestThatIsThere() throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        move(store, 2, 3, 0, 10, 3, ALL);
        move(store, 3, 4, 0, 10, 4, ALL);
        MemoryBlockFile left = without();
        for (int lost = 0; lost < 8; lost++) {
            MemoryBlockFile some = left.copy();
            int newest = 1;
            for (int slot = 2; slot <= 4; slot++) {
                if ((lost & 1 << (slot - 2)) == 0) {
                    newest = slot;
                } else {
                    some.write(data(9, 9, 9), StoreFixture.GEOMETRY.slotOffset(slot));
                }
            }
            assertEquals(Map.of(newest, BLOCK_10), slotsOf(some.copy(), BOOT), "lost " + lost);
            assertEquals(Map.of(newest, BLOCK_10), slotsOf(some, NEXT_BOOT), "lost " + lost);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {BOOT, NEXT_BOOT})
    void aWriteInPlaceThatIsTornVoidsTheMoveBeforeIt(String bootId) throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        ByteBuffer newer = data(0, 10, 3);
        int[] checksums = StoreFixture.checksums(newer);
        store.writeSlot(2, 4096, newer.slice(4096, 4096));
        store.slotMapped(2, 0, 10, ALL, ALL, 0b0010, checksums);
        assertEquals(Map.of(1, BLOCK_10), slotsOf(without(2), bootId));
    }

    @ParameterizedTest
    @ValueSource(strings = {BOOT, NEXT_BOOT})
    void aTornWriteOnACleanSlotLeavesTheBlockToTheBacking(String bootId) throws IOException {
        put(store, 5, 0, 11, 1);
        store.sync();
        ByteBuffer newer = data(0, 11, 2);
        store.writeSlot(5, 4096, newer.slice(4096, 4096));
        store.slotMapped(5, 0, 11, ALL, 0b0010, 0b0010, StoreFixture.checksums(newer));
        assertEquals(Map.of(1, BLOCK_10), slotsOf(without(5), bootId));
    }

    @Test
    void aCleanPageThatIsTornIsOnlyDropped() throws IOException {
        move(store, 1, 2, 0, 10, 2, 0b0001);
        assertEquals(
                Map.of(2, Contents.describe(0, 10, 0b1101, 0b0001)), slotsOf(without(2), BOOT));
    }

    @Test
    void aBlockFreedAfterItsMoveIsInNeitherSlot() throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        move(store, 2, 3, 0, 10, 3, ALL);
        store.slotFreed(3);
        MemoryBlockFile left = without(2, 3);
        assertEquals(Map.of(), slotsOf(left.copy(), BOOT));
        assertEquals(Map.of(), slotsOf(left, NEXT_BOOT));
    }

    @Test
    void aBlockOfADroppedFileIsInNeitherSlot() throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        store.fileDropped(0);
        store.fileDefined(0, id(2), facts(1));
        assertEquals(Map.of(), slotsOf(without(2), BOOT));
    }

    @Test
    void aMarkAsCleanCountsAlways() throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        store.slotMapped(2, 0, 10, ALL, 0, 0, new int[0]);
        assertEquals(
                Map.of(2, Contents.describe(0, 10, 0b1101, 0)),
                slotsOf(without(2), BOOT),
                "the backing has version 2: version 1 must not come back");
    }

    /** Page 1 of version 2 went home; what is still dirty falls back without it. */
    @Test
    void pagesThatWentHomeSinceTheMoveDoNotComeBack() throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        store.slotMapped(2, 0, 10, ALL, 0b1101, 0, new int[0]);
        ByteBuffer newer = data(0, 10, 3);
        store.writeSlot(2, 4096, newer.slice(4096, 4096));
        store.slotMapped(2, 0, 10, ALL, ALL, 0b0010, StoreFixture.checksums(newer));
        MemoryBlockFile left = without(2);
        String rest = Contents.describe(0, 10, 0b1101, 0b1101);
        assertEquals(Map.of(1, rest), slotsOf(left.copy(), BOOT));
        assertEquals(Map.of(1, rest), slotsOf(left, NEXT_BOOT));
    }

    @Test
    void pagesGivenUpSinceTheMoveDoNotComeBackFromTheTable() throws IOException {
        store.checkpoint(store.cutJournal());
        move(store, 1, 2, 0, 10, 2, ALL);
        store.slotMapped(2, 0, 10, 0b0111, 0b0111, 0, new int[0]);
        assertEquals(
                Map.of(1, Contents.describe(0, 10, 0b0111, 0b0111)), slotsOf(without(2), BOOT));
    }

    @Test
    void aProvenMoveIsTrustedUnread() throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        store.sync();
        // Only a later block says that the sync succeeded.
        store.slotFreed(100);
        MemoryBlockFile left = without(2);
        try (BlockStore opened = open(left, NEXT_BOOT)) {
            assertEquals(Map.of(2, BLOCK_10), Contents.of(opened).slots);
            assertEquals(0b1101, StoreFixture.soundPages(opened, 2));
        }
    }

    @Test
    void theOldSlotHoldsAnotherBlockOnceTheMoveIsDurable() throws IOException {
        move(store, 1, 2, 0, 10, 2, ALL);
        long moved = store.lastSequence();
        assertTrue(store.durableSequence() < moved);
        store.sync();
        assertTrue(store.durableSequence() >= moved);
        put(store, 1, 0, 77, 1, ALL);
        assertEquals(
                Map.of(1, Contents.describe(0, 77, ALL, ALL), 2, BLOCK_10),
                slotsOf(without(), NEXT_BOOT));
    }

    @Test
    void whatIsPendingOutlivesCrashCheckpointAndClose() throws IOException {
        store.fileDefined(1, id(2), facts(1));
        store.fileDefined(150, id(3), facts(1));
        store.filePending(0, pending(5));
        store.filePending(0, pending(6));
        store.filePending(1, pending(7));
        store.filePending(150, pending(8));
        store.fileSettled(1);
        MemoryBlockFile left = without();
        Map<Integer, ?> expected = Map.of(0, pending(6), 150, pending(8));
        BlockStore second = open(left, NEXT_BOOT);
        assertEquals(expected, Contents.of(second).pending);
        second.fileSettled(150);
        second.checkpoint(second.cutJournal());
        assertEquals(Map.of(0, pending(6)), Contents.of(second).pending);
        MemoryBlockFile afterCheckpoint = left.copy();
        second.filePending(199, pending(9));
        second.fileDefined(199, id(4), facts(1));
        assertEquals(Map.of(0, pending(6)), Contents.of(second).pending, "the tables are older");
        second.closeClean();
        try (BlockStore third = open(afterCheckpoint, NEXT_BOOT)) {
            assertEquals(Map.of(0, pending(6)), Contents.of(third).pending);
        }
    }

    @Test
    void aCleanCloseKeepsWhatIsDirtyAndPending() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore first = open(file, BOOT);
        first.fileDefined(0, id(1), facts(1));
        put(first, 1, 0, 10, 1, 0b0011);
        first.filePending(0, pending(7));
        first.closeClean();
        MemoryBlockFile closed = file.copy();
        try (BlockStore again = open(closed, NEXT_BOOT)) {
            assertTrue(again.wasClean());
            Contents contents = Contents.of(again);
            assertEquals(Map.of(1, Contents.describe(0, 10, ALL, 0b0011)), contents.slots);
            assertEquals(Map.of(0, pending(7)), contents.pending);
            Contents onlyPending = new Contents();
            onlyPending.files.put(0, id(1));
            again.loadPending(onlyPending);
            assertEquals(Map.of(0, pending(7)), onlyPending.pending);
            assertEquals(Set.of(), onlyPending.slots.keySet());
        }
    }

    @Test
    void anotherFileOfTheSameNumberHasNothingPending() throws IOException {
        store.filePending(0, pending(5));
        store.checkpoint(store.cutJournal());
        store.fileDefined(0, id(2), facts(1));
        store.fileDefined(1, id(3), facts(1));
        store.filePending(1, pending(6));
        store.fileDropped(1);
        MemoryBlockFile left = without();
        try (BlockStore opened = open(left, NEXT_BOOT)) {
            assertEquals(Map.of(), Contents.of(opened).pending);
        }
    }

    @Test
    void anIntentWithoutRegionPutsNoPageInDoubt() throws IOException {
        put(store, 5, 0, 11, 1);
        store.writeIntended(0, BlockStore.NO_REGION);
        store.sync();
        store.slotFreed(100);
        MemoryBlockFile left = without();
        try (BlockStore opened = open(left, NEXT_BOOT)) {
            assertEquals(Set.of(0), opened.filesWithIntents());
            assertEquals(Set.of(1, 5), Contents.of(opened).slots.keySet());
            opened.forEachIntentAtOpen(
                    (file, region) -> assertEquals(BlockStore.NO_REGION, region));
        }
    }

    @Test
    void preparedSlotsAreRememberedByTheNextCheckpoint() throws IOException {
        assertEquals(0, store.preparedSlots());
        store.writeZeros(50, 100);
        store.setPreparedSlots(150);
        assertThrows(IllegalArgumentException.class, () -> store.writeZeros(150, 51));
        MemoryBlockFile before = disk.kill();
        store.checkpoint(store.cutJournal());
        store.setPreparedSlots(160);
        store.checkpoint(store.cutJournal());
        MemoryBlockFile after = disk.crash();
        try (BlockStore opened = open(before, BOOT)) {
            assertEquals(0, opened.preparedSlots());
        }
        BlockStore opened = open(after, BOOT);
        assertEquals(160, opened.preparedSlots());
        opened.checkpoint(opened.cutJournal());
        assertEquals(160, opened.preparedSlots());
        opened.closeClean();
    }

    /** Else a crash could leave a durable dirty page without its bytes. */
    @Test
    void aSlotThatIsCleanOnlyInMemoryMayNotBeOverwritten() throws IOException {
        assertFalse(store.mayOverwrite(1, ALL));
        store.slotMapped(1, 0, 10, 0b0111, 0, 0, new int[0]);
        assertFalse(store.mayOverwrite(1, 0));
        store.writeJournal();
        assertFalse(store.mayOverwrite(1, 0));
        store.sync();
        assertTrue(store.mayOverwrite(1, 0));
        put(store, 5, 0, 11, 1);
        assertTrue(store.mayOverwrite(5, 0), "it was filled, and never dirty");
        put(store, 6, 0, 12, 1, ALL);
        store.slotMapped(6, 0, 12, ALL, 0, 0, new int[0]);
        assertTrue(store.mayOverwrite(6, 0), "young: no sync has what was dirty there");
        store.slotFreed(6);
        assertTrue(store.mayOverwrite(6, 0));
    }

    @Test
    void aPageThatWasGivenUpIsFilledAgainOnlyWhenThatIsDurable() throws IOException {
        put(store, 6, 0, 12, 1, ALL);
        store.slotMapped(6, 0, 12, 0b0111, 0b0111, 0, new int[0]);
        assertTrue(store.mayFill(6), "young: a sync takes both records");
        assertTrue(store.mayFill(1));
        store.slotMapped(1, 0, 10, 0b0111, 0b0111, 0, new int[0]);
        assertFalse(store.mayFill(1));
        store.sync();
        assertTrue(store.mayFill(1));
        assertTrue(store.mayFill(6));
    }

    @Test
    void aSlotIsYoungUntilASyncTakesItsRecord() throws IOException {
        assertFalse(store.isYoung(1));
        put(store, 2, 0, 11, 1);
        assertFalse(store.isYoung(2), "a clean one never is");
        try (SlotChange change = store.beginChange()) {
            put(store, 3, 0, 12, 1, 0b0001);
            move(store, 1, 4, 0, 10, 2, ALL);
            assertTrue(store.isYoung(3));
            assertTrue(store.isYoung(4));
            assertFalse(store.isYoung(1));
        }
        store.slotMapped(3, 0, 12, ALL, 0, 0, new int[0]);
        assertTrue(store.isYoung(3), "a mark as clean changes nothing");
        store.writeJournal();
        assertTrue(store.isYoung(3), "no sync has it");
        store.slotFreed(3);
        assertFalse(store.isYoung(3));
        move(store, 4, 5, 0, 10, 3, ALL);
        assertFalse(store.isYoung(4));
        assertTrue(store.isYoung(5));
        store.sync();
        assertFalse(store.isYoung(5));
    }
}
