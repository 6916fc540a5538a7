package org.ssdcache.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.ssdcache.store.StoreFixture.ALL;
import static org.ssdcache.store.StoreFixture.BOOT;
import static org.ssdcache.store.StoreFixture.NEXT_BOOT;
import static org.ssdcache.store.StoreFixture.id;
import static org.ssdcache.store.StoreFixture.open;
import static org.ssdcache.store.StoreFixture.pending;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.block.FileFacts;
import org.ssdcache.store.StoreFixture.Contents;
import org.ssdcache.testing.FaultyBlockFile;
import org.ssdcache.testing.MemoryBlockFile;

/**
 * Stores that earlier versions made. Two images are from before there was a pending table: 20 slots
 * of 16K; files 3 and 4; slots 7, 8 and 9 in a checkpoint, then slot 10 mapped and slot 8 freed,
 * synced, and an intent for region 1 of file 4. One was closed in order, the other killed.
 */
class StoreUpgradeTest {
    private static final int ENOSPC = 28;

    private static final Map<Integer, String> SLOTS =
            Map.of(
                    7, Contents.describe(3, 12, ALL, 0),
                    9, Contents.describe(4, 14, ALL, 0b0011),
                    10, Contents.describe(3, 15, ALL, 0));

    static MemoryBlockFile image(String name) throws IOException {
        MemoryBlockFile file = new MemoryBlockFile();
        try (InputStream in = StoreUpgradeTest.class.getResourceAsStream(name + ".gz");
                GZIPInputStream bytes = new GZIPInputStream(in)) {
            file.write(ByteBuffer.wrap(bytes.readAllBytes()), 0);
        }
        return file;
    }

    private static void assertAllThere(BlockStore store) throws IOException {
        Contents contents = Contents.of(store);
        assertEquals(SLOTS, contents.slots);
        assertEquals(Map.of(3, id(30), 4, id(40)), contents.files);
        assertEquals(new FileFacts(101, 202, 303), contents.facts.get(4));
        assertEquals(Map.of(), contents.pending);
        for (int slot : SLOTS.keySet()) {
            assertEquals(ALL, StoreFixture.soundPages(store, slot));
        }
        assertEquals(987_654_321L, store.leaseNanosAtOpen());
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1-clean", "v1-killed"})
    void anOldStoreOpensAndCanDoWhatANewOneCan(String name) throws IOException {
        MemoryBlockFile file = image(name);
        long sizeBytes = file.sizeBytes();
        BlockStore store = open(file, BOOT);
        assertTrue(store.supportsWriteback());
        assertEquals(name.equals("v1-clean"), store.wasClean());
        assertEquals(name.equals("v1-clean") ? Set.of() : Set.of(4), store.filesWithIntents());
        assertAllThere(store);
        assertEquals(sizeBytes, store.geometry().pendingTableOffset());
        assertEquals(store.geometry().totalBytes(), file.sizeBytes());
        assertEquals(0, store.preparedSlots());
        StoreFixture.move(store, 9, 11, 4, 14, 2, ALL);
        store.filePending(4, pending(5));
        store.closeClean();
        try (BlockStore again = open(file.copy(), NEXT_BOOT)) {
            Contents contents = Contents.of(again);
            assertEquals(Set.of(7, 10, 11), contents.slots.keySet());
            assertEquals(Map.of(4, pending(5)), contents.pending);
        }
    }

    @Test
    void theUpgradeKeepsTheNameOfTheState() throws IOException {
        BlockStore first = open(image("v1-clean"), BOOT);
        long named = first.checkpointSequence();
        first.close();
        MemoryBlockFile file = image("v1-clean");
        BlockStore second = open(file, BOOT);
        second.closeClean();
        try (BlockStore third = open(file.copy(), BOOT)) {
            assertTrue(third.wasClean());
            assertEquals(named, third.checkpointSequence());
        }
    }

    @Test
    void withoutSpaceForTheTableTheStoreStaysWhatItWas() throws IOException {
        int opened = 0;
        boolean failed = true;
        for (int n = 1; failed; n++) {
            MemoryBlockFile file = image("v1-killed");
            FaultyBlockFile disk = new FaultyBlockFile(file, n);
            disk.failOperation(n, ENOSPC);
            try (BlockStore store = open(disk, BOOT)) {
                failed = !store.supportsWriteback();
                if (failed) {
                    opened++;
                    assertAllThere(store);
                    assertEquals(store.geometry().pendingTableOffset(), disk.sizeBytes());
                    assertThrows(
                            IllegalStateException.class,
                            () -> StoreFixture.move(store, 9, 11, 4, 14, 2, ALL));
                    assertThrows(
                            IllegalStateException.class, () -> store.filePending(4, pending(5)));
                    store.slotFreed(7);
                    store.checkpoint(store.cutJournal());
                }
            } catch (IOException e) {
                assertTrue(disk.operations() >= n, "operation " + n + ": " + e);
            }
            try (BlockStore again = open(disk.crash(), BOOT)) {
                assertTrue(again.supportsWriteback(), "operation " + n);
                assertTrue(Contents.of(again).slots.keySet().containsAll(Set.of(9, 10)));
            }
        }
        assertTrue(opened >= 2, "neither reserving nor writing the table failed");
    }

    @Test
    void aPowerCutDuringTheUpgradeLosesNothing() throws IOException {
        boolean cut = true;
        for (int n = 1; cut; n++) {
            FaultyBlockFile disk = new FaultyBlockFile(image("v1-killed"), n);
            disk.cutPowerAt(n);
            try (BlockStore store = open(disk, BOOT)) {
                cut = false;
                assertTrue(n > 10, "an upgrade has more operations");
            } catch (IOException e) {
                assertTrue(disk.isPowerGone(), "operation " + n + ": " + e);
            }
            try (BlockStore again = open(disk.crash(), BOOT)) {
                assertTrue(again.supportsWriteback());
                assertFalse(again.wasClean());
                assertAllThere(again);
            }
        }
    }

    /**
     * A store of the first version with mode writeback, killed: 20 slots; files 3, 4 and 5; in the
     * checkpoint slots 7 (clean), 8 and 9 (dirty) and file 4 pending; after it block 14 moved from
     * slot 9 to 10, file 4 pending anew, file 5 dirty in slot 11, cleaned and settled, and an
     * intent for region 1 of file 3.
     */
    @Test
    void aStoreWithDirtyBlocksOpens() throws IOException {
        try (BlockStore store = open(image("v1-writeback"), BOOT)) {
            Contents contents = Contents.of(store);
            assertEquals(
                    Map.of(
                            7, Contents.describe(3, 12, ALL, 0),
                            8, Contents.describe(4, 13, ALL, ALL),
                            10, Contents.describe(4, 14, ALL, ALL),
                            11, Contents.describe(5, 0, ALL, 0)),
                    contents.slots);
            assertEquals(Map.of(3, id(30), 4, id(40), 5, id(50)), contents.files);
            assertEquals(Map.of(4, pending(6)), contents.pending);
            assertEquals(Set.of(3), store.filesWithIntents());
            assertFalse(store.wasClean());
            assertEquals(987_654_321L, store.leaseNanosAtOpen());
            assertEquals(123_456_789L, store.pendingLeaseNanosAtOpen());
            for (int slot : contents.slots.keySet()) {
                assertEquals(ALL, StoreFixture.soundPages(store, slot));
            }
        }
    }
}
