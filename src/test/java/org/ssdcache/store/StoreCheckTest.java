package org.ssdcache.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.ssdcache.store.StoreFixture.ALL;
import static org.ssdcache.store.StoreFixture.BOOT;
import static org.ssdcache.store.StoreFixture.GEOMETRY;
import static org.ssdcache.store.StoreFixture.NEXT_BOOT;
import static org.ssdcache.store.StoreFixture.facts;
import static org.ssdcache.store.StoreFixture.id;
import static org.ssdcache.store.StoreFixture.move;
import static org.ssdcache.store.StoreFixture.open;
import static org.ssdcache.store.StoreFixture.pending;
import static org.ssdcache.store.StoreFixture.put;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.store.StoreFinding.Area;
import org.ssdcache.store.StoreFixture.Contents;
import org.ssdcache.testing.FaultyBlockFile;
import org.ssdcache.testing.MemoryBlockFile;

/** Scribbles over each area of a store, and looks at what a check says and a repair does. */
class StoreCheckTest {
    /**
     * Files 0 (clean), 1 (dirty, pending) and 2 (nothing dirty, pending); slots 1 and 2 of file 0,
     * 3 and 4 of file 1, 4 with two dirty pages of block 20.
     */
    private static void fill(BlockStore store) throws IOException {
        for (int file = 0; file < 3; file++) {
            store.fileDefined(file, id(file + 1), facts(1000));
        }
        put(store, 1, 0, 10, 1);
        put(store, 2, 0, 11, 1);
        put(store, 3, 1, 10, 1);
        put(store, 4, 1, 20, 1, 0b0011);
        store.filePending(1, pending(20 * StoreFixture.BLOCK_BYTES + 5000));
        store.filePending(2, pending(7));
        store.extendLease(5);
    }

    private static MemoryBlockFile closed() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        fill(store);
        store.closeClean();
        return file.copy();
    }

    private static StoreReport check(MemoryBlockFile file) throws IOException {
        MemoryBlockFile before = file.copy();
        StoreReport report = new StoreCheck(file, BOOT, true, slots -> {}).check();
        assertSame(before, file);
        return report;
    }

    private static void assertSame(MemoryBlockFile before, MemoryBlockFile after)
            throws IOException {
        assertEquals(before.sizeBytes(), after.sizeBytes());
        ByteBuffer one = ByteBuffer.allocate((int) before.sizeBytes());
        ByteBuffer other = ByteBuffer.allocate((int) before.sizeBytes());
        assertEquals(before.read(one, 0), after.read(other, 0));
        assertEquals(one.flip(), other.flip(), "a check changes nothing");
    }

    private static StoreReport repair(MemoryBlockFile file) throws IOException {
        return new StoreCheck(file, BOOT, true, slots -> {}).repair();
    }

    /** After a repair nothing is found. */
    private static void assertMended(MemoryBlockFile file) throws IOException {
        StoreReport before = check(file);
        assertTrue(before.findings().stream().allMatch(StoreFinding::repairable));
        assertFalse(before.findings().isEmpty());
        assertEquals(before.findings(), repair(file).findings());
        assertEquals(List.of(), check(file).findings());
    }

    private static StoreFinding only(StoreReport report) {
        assertEquals(1, report.findings().size(), () -> report.findings().toString());
        return report.findings().get(0);
    }

    private static void scribble(MemoryBlockFile file, long offsetBytes) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(4);
        file.read(bytes, offsetBytes);
        bytes.putInt(0, ~bytes.getInt(0));
        file.write(bytes.flip(), offsetBytes);
    }

    private static long slotEntry(int slot) {
        int perSector = 512 / GEOMETRY.slotEntryBytes();
        return GEOMETRY.slotTableOffset()
                + slot / perSector * 512L
                + (long) slot % perSector * GEOMETRY.slotEntryBytes();
    }

    @Test
    void aSoundStoreIsDescribed() throws IOException {
        StoreReport report = check(closed());
        assertEquals(new StoreReport(true, true, 0, 3, 4, 1, 2, 2, List.of()), report);
        assertFalse(report.dirtyDataConcerned());
        MemoryBlockFile old = StoreUpgradeTest.image("v1-killed");
        assertEquals(new StoreReport(true, false, 3, 2, 3, 1, 2, 0, List.of()), check(old));
    }

    @Test
    void theJournalIsFoldedForTheCheckOnly() throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        BlockStore store = open(disk, BOOT);
        fill(store);
        move(store, 4, 5, 1, 20, 2, ALL);
        store.sync();
        MemoryBlockFile left = disk.kill();
        store.close();
        assertEquals(new StoreReport(true, false, 10, 3, 4, 1, 4, 2, List.of()), check(left));
    }

    @Test
    void oneSuperblockIsMadeFromTheOther() throws IOException {
        for (int copy = 0; copy < 2; copy++) {
            MemoryBlockFile file = closed();
            scribble(file, copy * 4096L + 300);
            StoreFinding finding = only(check(file));
            assertEquals(Area.SUPERBLOCK, finding.area());
            assertEquals("copy " + (copy + 1), finding.where());
            assertFalse(finding.concernsDirty());
            assertMended(file);
        }
    }

    @Test
    void withoutASuperblockNothingCanBeDone() throws IOException {
        MemoryBlockFile file = closed();
        scribble(file, 300);
        scribble(file, 4096 + 300);
        StoreReport report = check(file);
        assertFalse(report.readable());
        StoreFinding finding = only(report);
        assertTrue(finding.concernsDirty() && !finding.repairable());
        assertEquals(report, repair(file));
    }

    @Test
    void aDamagedLeaseIsRemoved() throws IOException {
        MemoryBlockFile file = closed();
        scribble(file, 8192 + 16);
        assertEquals(Area.LEASE, only(check(file)).area());
        assertMended(file);
    }

    @Test
    void aFileEntryIsFreedIfNothingDirtyNeedsIt() throws IOException {
        MemoryBlockFile file = closed();
        scribble(file, GEOMETRY.fileTableOffset() + 16);
        StoreFinding finding = only(check(file));
        assertEquals(Area.FILE_TABLE, finding.area());
        assertEquals("file 0", finding.where());
        assertFalse(finding.concernsDirty());
        assertMended(file);
        try (BlockStore store = open(file, NEXT_BOOT)) {
            assertEquals(Set.of(3, 4), Contents.of(store).slots.keySet());
        }
    }

    @Test
    void aFileEntryThatDirtyBlocksNeedCannotBeMended() throws IOException {
        MemoryBlockFile file = closed();
        scribble(file, GEOMETRY.fileTableOffset() + 64 + 16);
        List<StoreFinding> findings = check(file).findings();
        assertEquals(Area.FILE_TABLE, findings.get(0).area());
        assertTrue(findings.get(0).concernsDirty());
        assertFalse(findings.get(0).repairable());
        repair(file);
        assertEquals(findings, check(file).findings());
    }

    @Test
    void aSlotEntryIsFreedIfItWasClean() throws IOException {
        MemoryBlockFile file = closed();
        scribble(file, slotEntry(2) + 8);
        StoreFinding finding = only(check(file));
        assertEquals(Area.SLOT_TABLE, finding.area());
        assertEquals("slot 2", finding.where());
        assertFalse(finding.concernsDirty());
        assertMended(file);
        try (BlockStore store = open(file, NEXT_BOOT)) {
            assertEquals(Set.of(1, 3, 4), Contents.of(store).slots.keySet());
        }
    }

    @Test
    void aSlotEntryThatSaysItIsDirtyStays() throws IOException {
        MemoryBlockFile file = closed();
        scribble(file, slotEntry(4) + 12);
        StoreFinding finding = only(check(file));
        assertTrue(finding.concernsDirty() && !finding.repairable());
        repair(file);
        assertEquals(List.of(finding), check(file).findings());
    }

    @Test
    void dirtyPagesAreAlwaysComparedCleanOnesIfAsked() throws IOException {
        MemoryBlockFile file = closed();
        scribble(file, GEOMETRY.slotOffset(4) + 4096);
        scribble(file, GEOMETRY.slotOffset(4) + 3 * 4096);
        scribble(file, GEOMETRY.slotOffset(1));
        StoreReport dirtyOnly = new StoreCheck(file, BOOT, false, slots -> {}).check();
        StoreFinding dirty = only(dirtyOnly);
        assertEquals(Area.SLOT_DATA, dirty.area());
        assertEquals("slot 4 (file 1, block 20)", dirty.where());
        assertTrue(dirty.concernsDirty() && !dirty.repairable());
        List<StoreFinding> all = check(file).findings();
        assertEquals(3, all.size(), all.toString());
        repair(file);
        assertEquals(List.of(dirty), check(file).findings());
        try (BlockStore store = open(file, NEXT_BOOT)) {
            Map<Integer, String> slots = Contents.of(store).slots;
            assertEquals(Contents.describe(0, 10, 0b1110, 0), slots.get(1));
            assertEquals(Contents.describe(1, 20, 0b0111, 0b0011), slots.get(4));
        }
    }

    @Test
    void ofABlockInTwoSlotsTheNewerStays() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        fill(store);
        put(store, 7, 0, 10, 2);
        put(store, 8, 0, 10, 3);
        store.closeClean();
        MemoryBlockFile closed = file.copy();
        List<StoreFinding> findings = check(closed).findings();
        assertEquals(
                List.of("slot 1", "slot 7"), findings.stream().map(StoreFinding::where).toList());
        assertMended(closed);
        try (BlockStore again = open(closed, NEXT_BOOT)) {
            assertEquals(Set.of(2, 3, 4, 8), Contents.of(again).slots.keySet());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 20, 36})
    void aPendingEntryIsMadeAnew(int at) throws IOException {
        MemoryBlockFile file = closed();
        scribble(file, GEOMETRY.pendingTableOffset() + 64 + at);
        StoreFinding finding = only(check(file));
        assertEquals(Area.PENDING_TABLE, finding.area());
        assertEquals("file 1", finding.where());
        assertTrue(finding.concernsDirty());
        assertMended(file);
        long dirtyEnd = 20 * StoreFixture.BLOCK_BYTES + 8192;
        long stated = 20 * StoreFixture.BLOCK_BYTES + 5000;
        try (BlockStore store = open(file, NEXT_BOOT)) {
            PendingAttributes made = Contents.of(store).pending.get(1);
            assertEquals(at == 8 ? dirtyEnd : stated, made.sizeBytes());
            assertEquals(facts(1000).modifiedNanos(), made.modifiedNanos());
            assertEquals(at == 36, !made.locator().equals(pending(stated).locator()));
            assertEquals(pending(7), Contents.of(store).pending.get(2));
        }
    }

    @Test
    void aLostJournalBlockIsDamageOnlyIfItWasDurable() throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        BlockStore store = open(disk, BOOT);
        fill(store);
        long block = store.cutJournal();
        store.slotFreed(1);
        store.writeJournal();
        store.slotFreed(2);
        store.writeJournal();
        MemoryBlockFile unsynced = disk.kill();
        store.sync();
        store.slotFreed(3);
        store.writeJournal();
        MemoryBlockFile synced = disk.kill();
        store.close();
        long offsetBytes = JournalReader.offsetOf((int) (block % GEOMETRY.journalBlocks()));
        scribble(unsynced, offsetBytes + 100);
        assertEquals(List.of(), check(unsynced).findings());
        scribble(synced, offsetBytes + 100);
        StoreFinding finding = only(check(synced));
        assertEquals(Area.JOURNAL, finding.area());
        assertTrue(finding.concernsDirty() && !finding.repairable());
    }

    @Test
    void aRepairKeepsWriteIntents() throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        BlockStore store = open(disk, BOOT);
        fill(store);
        store.writeIntended(0, 3);
        store.writeIntended(1, BlockStore.NO_REGION);
        store.fileDefined(0, id(1), facts(2));
        store.sync();
        MemoryBlockFile left = disk.kill();
        store.close();
        scribble(left, 4096 + 300);
        repair(left);
        repair(left);
        try (BlockStore again = open(left, NEXT_BOOT)) {
            assertEquals(Set.of(1), again.filesWithIntents());
            List<String> intents = new ArrayList<>();
            again.forEachIntentAtOpen((file, region) -> intents.add(file + ":" + region));
            assertEquals(Set.of("0:3", "1:-2"), Set.copyOf(intents));
            assertFalse(again.wasClean());
        }
    }

    /** Whatever is scribbled where: a repair mends what it said it would, and invents nothing. */
    @Test
    void scribblesAnywhere() throws IOException {
        int found = 0;
        for (long seed = 0; seed < 150; seed++) {
            MemoryBlockFile file = closed();
            Random random = new Random(seed);
            byte[] garbage = new byte[1 + random.nextInt(100)];
            random.nextBytes(garbage);
            long[] areas = {
                4096L * random.nextInt(2) + random.nextInt(200),
                GEOMETRY.fileTableOffset() + random.nextInt(192),
                slotEntry(0) + random.nextInt(300),
                GEOMETRY.pendingTableOffset() + random.nextInt(192),
                GEOMETRY.slotOffset(1 + random.nextInt(4)) + random.nextInt(16000)
            };
            file.write(ByteBuffer.wrap(garbage), areas[(int) (seed % areas.length)]);
            List<StoreFinding> before = check(file).findings();
            found += before.isEmpty() ? 0 : 1;
            repair(file);
            List<StoreFinding> after = check(file).findings();
            String where = "seed " + seed + ": " + before + " then " + after;
            assertTrue(after.stream().noneMatch(StoreFinding::repairable), where);
            assertTrue(before.containsAll(after), where);
            try (BlockStore store = open(file, NEXT_BOOT)) {
                for (var slot : Contents.of(store).mappings.entrySet()) {
                    int[] mapping = slot.getValue();
                    int clean = mapping[2] & ~mapping[3];
                    assertEquals(clean, StoreFixture.soundPages(store, slot.getKey()) & clean);
                }
            }
        }
        assertTrue(found > 100, "only " + found + " were found");
    }
}
