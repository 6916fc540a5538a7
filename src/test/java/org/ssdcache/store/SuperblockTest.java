package org.ssdcache.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.ssdcache.store.StoreFixture.BOOT;
import static org.ssdcache.store.StoreFixture.facts;
import static org.ssdcache.store.StoreFixture.id;
import static org.ssdcache.store.StoreFixture.open;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.store.StoreException.Reason;
import org.ssdcache.store.StoreFixture.Contents;
import org.ssdcache.testing.MemoryBlockFile;

class SuperblockTest {
    private static MemoryBlockFile storeWithOneSlot(boolean clean) throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        store.fileDefined(0, id(1), facts(1));
        StoreFixture.put(store, 1, 0, 1, 1);
        store.checkpoint(store.cutJournal());
        if (clean) {
            store.closeClean();
        } else {
            store.close();
        }
        return file.copy();
    }

    private static void scribble(MemoryBlockFile file, int copy, long seed) throws IOException {
        byte[] garbage = new byte[16];
        Random random = new Random(seed);
        random.nextBytes(garbage);
        file.write(ByteBuffer.wrap(garbage), copy * 4096L + random.nextInt(4096 - 16));
    }

    private static Reason refusal(MemoryBlockFile file) {
        return assertThrows(StoreException.class, () -> open(file, BOOT)).reason();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void oneDamagedCopyLosesNothing(int copy) throws IOException {
        for (long seed = 0; seed < 50; seed++) {
            MemoryBlockFile clean = storeWithOneSlot(true);
            scribble(clean, copy, seed);
            try (BlockStore store = open(clean, BOOT)) {
                assertTrue(store.wasClean(), "seed " + seed);
                assertTrue(Contents.of(store).slots.containsKey(1), "seed " + seed);
            }
            MemoryBlockFile unclean = storeWithOneSlot(false);
            scribble(unclean, copy, seed);
            try (BlockStore store = open(unclean, BOOT)) {
                assertFalse(store.wasClean(), "seed " + seed);
                assertTrue(Contents.of(store).slots.containsKey(1), "seed " + seed);
            }
        }
    }

    @Test
    void twoDamagedCopiesAreDamage() throws IOException {
        MemoryBlockFile file = storeWithOneSlot(true);
        file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 200);
        file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 4096 + 200);
        assertEquals(Reason.DAMAGED, refusal(file));
    }

    @Test
    void otherFilesAreNoStore() throws IOException {
        assertEquals(Reason.NOT_A_STORE, refusal(new MemoryBlockFile()));
        assertEquals(Reason.NOT_A_STORE, refusal(new MemoryBlockFile(1 << 20)));
    }

    @Test
    void aFileCutShortIsDamage() throws IOException {
        MemoryBlockFile file = storeWithOneSlot(true);
        file.truncate(file.sizeBytes() - 1);
        assertEquals(Reason.DAMAGED, refusal(file));
    }

    @Test
    void aNewerVersionIsRefusedWholeOrNot() throws IOException {
        MemoryBlockFile file = storeWithOneSlot(true);
        patch(file, 8, 2, true);
        assertEquals(Reason.NEWER_VERSION, refusal(file.copy()));
        patch(file, 8, 3, false);
        assertEquals(Reason.NEWER_VERSION, refusal(file));
    }

    @Test
    void anUnknownIncompatibleFeatureIsRefused() throws IOException {
        MemoryBlockFile file = storeWithOneSlot(true);
        patch(file, 32, 2 | 1, true);
        assertEquals(Reason.UNKNOWN_FEATURE, refusal(file));
    }

    @Test
    void anUnknownCompatibleFeatureIsKept() throws IOException {
        MemoryBlockFile file = storeWithOneSlot(true);
        patch(file, 24, 5, true);
        BlockStore store = open(file, BOOT);
        store.checkpoint(store.cutJournal());
        store.close();
        ByteBuffer bytes = read(file.copy(), 0);
        assertEquals(5, bytes.getLong(24));
        assertEquals(5, Superblock.decode(bytes).compatFeatures());
    }

    @Test
    void geometryThatContradictsItselfIsDamage() throws IOException {
        MemoryBlockFile file = storeWithOneSlot(true);
        patch(file, 60, StoreFixture.GEOMETRY.slotCount() - 100, true);
        assertEquals(Reason.DAMAGED, refusal(file.copy()));
        patch(file, 56, 12345, true);
        assertEquals(Reason.DAMAGED, refusal(file));
    }

    /** Changes an int in both copies, with or without making them whole again. */
    private static void patch(MemoryBlockFile file, int at, int value, boolean whole)
            throws IOException {
        for (int copy = 0; copy < 2; copy++) {
            ByteBuffer bytes = read(file, copy);
            bytes.putInt(at, value).putInt(12, 0);
            bytes.putInt(12, whole ? Buffers.crc(bytes, 0, Superblock.BYTES) : 1);
            file.write(bytes, copy * 4096L);
        }
    }

    private static ByteBuffer read(MemoryBlockFile file, int copy) throws IOException {
        MemoryBlockFile readable = file.copy();
        ByteBuffer bytes = Buffers.direct(Superblock.BYTES);
        int unused = readable.read(bytes, copy * 4096L);
        return bytes.flip();
    }

    @Test
    void whatIsEncodedIsDecoded() throws IOException {
        Superblock superblock =
                new Superblock(
                        9,
                        3,
                        true,
                        StoreFixture.GEOMETRY,
                        StoreFixture.ID,
                        1000,
                        77,
                        5,
                        4,
                        150,
                        true,
                        BOOT);
        ByteBuffer bytes = superblock.encode();
        assertTrue(Superblock.isWhole(bytes));
        assertEquals(superblock, Superblock.decode(bytes));
        assertEquals(
                "SSDCACHE",
                java.nio.charset.StandardCharsets.US_ASCII.decode(bytes.slice(0, 8)).toString());
    }

    @Test
    void aScribbledTableLosesEntriesAndInventsNone() throws IOException {
        for (long seed = 0; seed < 200; seed++) {
            MemoryBlockFile file = storeWithOneSlot(true);
            Random random = new Random(seed);
            byte[] garbage = new byte[1 + random.nextInt(600)];
            random.nextBytes(garbage);
            long from = StoreFixture.GEOMETRY.fileTableOffset();
            long to = StoreFixture.GEOMETRY.slotsOffset() - garbage.length;
            file.write(ByteBuffer.wrap(garbage), random.nextLong(from, to));
            try (BlockStore store = open(file, BOOT)) {
                Contents contents = Contents.of(store);
                assertTrue(contents.slots.size() <= 1, "seed " + seed + contents.slots);
                assertTrue(
                        contents.slots.isEmpty() || contents.slots.containsKey(1), "seed " + seed);
            }
        }
    }

    @Test
    void anEntryInAnotherSlotsPlaceDoesNotCount() throws IOException {
        MemoryBlockFile file = storeWithOneSlot(true);
        int entryBytes = StoreFixture.GEOMETRY.slotEntryBytes();
        ByteBuffer entry = Buffers.direct(entryBytes);
        int unused = file.read(entry, StoreFixture.GEOMETRY.slotTableOffset() + entryBytes);
        file.write(entry.flip(), StoreFixture.GEOMETRY.slotTableOffset() + 5L * entryBytes);
        try (BlockStore store = open(file, BOOT)) {
            assertEquals(java.util.Set.of(1), Contents.of(store).slots.keySet());
        }
    }
}
