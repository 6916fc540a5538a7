package org.ssdcache.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.ssdcache.store.StoreFixture.ALL;
import static org.ssdcache.store.StoreFixture.BOOT;
import static org.ssdcache.store.StoreFixture.GEOMETRY;
import static org.ssdcache.store.StoreFixture.NEXT_BOOT;
import static org.ssdcache.store.StoreFixture.facts;
import static org.ssdcache.store.StoreFixture.id;
import static org.ssdcache.store.StoreFixture.open;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.StoreException.Reason;
import org.ssdcache.store.StoreFixture.Contents;
import org.ssdcache.testing.FaultyBlockFile;
import org.ssdcache.testing.MemoryBlockFile;

class JournalTest {
    private static final int EIO = 5;
    private static final int RING = GEOMETRY.journalBlocks();

    @Test
    void theRingIsUsedManyTimesOver() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        store.fileDefined(0, id(1), facts(1));
        for (int i = 0; i < 5 * RING; i++) {
            // Each write ends a block; the checkpoints come at changing places of the ring.
            store.slotMapped(i % 150, 0, i, ALL, 0, ALL, new int[] {i, i, i, i});
            store.writeJournal();
            if (store.journalFill() > 0.4 + 0.5 * (i % 7) / 7) {
                store.checkpoint(store.cutJournal());
            }
        }
        MemoryBlockFile left = file.copy();
        store.close();
        try (BlockStore again = open(left, BOOT)) {
            Contents contents = Contents.of(again);
            assertEquals(150, contents.slots.size());
            for (int i = 5 * RING - 150; i < 5 * RING; i++) {
                assertEquals(Contents.describe(0, i, ALL, 0), contents.slots.get(i % 150));
            }
        }
    }

    @Test
    void batchesCrossTheRingsEnd() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        store.fileDefined(0, id(1), facts(1));
        int perBlock = (JournalBlock.BYTES - JournalBlock.HEADER_BYTES) / JournalRecord.FILE_BYTES;
        for (int round = 0; round < 7; round++) {
            for (int i = 0; i < perBlock * 50; i++) {
                store.fileDefined(0, id(1), facts(round * 100_000 + i));
            }
            store.checkpoint(store.cutJournal());
        }
        store.close();
        try (BlockStore again = open(file.copy(), BOOT)) {
            assertEquals(facts(600_000 + perBlock * 50 - 1), Contents.of(again).facts.get(0));
        }
    }

    @Test
    void theJournalEndsAtALostBlockAndOldBlocksBehindItNeverComeBack() throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        BlockStore store = open(disk, BOOT);
        store.fileDefined(0, id(1), facts(1));
        StoreFixture.put(store, 1, 0, 1, 1);
        store.sync();
        long tail = 0;
        for (int slot : new int[] {100, 101, 1}) {
            store.slotFreed(slot);
            tail = store.cutJournal();
            store.writeJournal();
        }
        MemoryBlockFile left = disk.kill();
        store.close();
        int lost = (int) ((tail - 3) % RING);
        left.write(ByteBuffer.allocateDirect(4096), JournalReader.offsetOf(lost));
        FaultyBlockFile second = new FaultyBlockFile(left, 2);
        BlockStore again = open(second, BOOT);
        assertEquals(Set.of(1), Contents.of(again).slots.keySet(), "the free of slot 1 is lost");
        again.slotFreed(100);
        again.sync();
        MemoryBlockFile third = second.crash();
        again.close();
        try (BlockStore last = open(third, BOOT)) {
            assertEquals(Set.of(1), Contents.of(last).slots.keySet());
        }
    }

    @Test
    void anAppenderWaitsForACheckpointWhenTheJournalIsFull() throws Exception {
        MemoryBlockFile file = StoreFixture.formatted();
        BlockStore store = open(file, BOOT);
        CountDownLatch full = new CountDownLatch(2);
        store.onJournalPressure(full::countDown);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread appender =
                new Thread(
                        () -> {
                            try {
                                for (int i = 0; i < 2 * RING; i++) {
                                    store.slotFreed(i % 100);
                                    store.writeJournal();
                                }
                            } catch (Throwable e) {
                                failure.set(e);
                            }
                        });
        appender.start();
        // Told once at three quarters, and again by the appender that has to wait.
        full.await();
        while (appender.isAlive()) {
            if (store.journalFill() >= 0.8) {
                store.checkpoint(store.cutJournal());
            }
            appender.join(1);
        }
        assertEquals(null, failure.get());
        store.closeClean();
    }

    @Test
    void theWaitForRoomIsBounded() throws IOException {
        BlockStore store = BlockStore.open(StoreFixture.formatted(), BOOT, 1_000_000L);
        StoreException e =
                assertThrows(
                        StoreException.class,
                        () -> {
                            for (int i = 0; i <= RING; i++) {
                                store.slotFreed(1);
                                store.writeJournal();
                            }
                        });
        assertEquals(Reason.JOURNAL_FULL, e.reason());
        store.checkpoint(store.cutJournal());
        store.slotFreed(1);
        store.closeClean();
    }

    @Test
    void whoRunsTheCheckpointMayAppendWhereOthersWait() throws IOException {
        BlockStore store = BlockStore.open(StoreFixture.formatted(), BOOT, 1_000_000L);
        StoreException e =
                assertThrows(
                        StoreException.class,
                        () -> {
                            for (int i = 0; i <= RING; i++) {
                                store.slotFreed(1);
                                store.writeJournal();
                            }
                        });
        assertEquals(Reason.JOURNAL_FULL, e.reason());
        long cut = store.cutJournal();
        store.fileDefined(0, id(1), facts(1));
        store.writeJournal();
        store.checkpoint(cut);
        store.closeClean();
        store.close();
    }

    @Test
    void anAppenderThatWaitsSeesThatTheStoreFailed() throws Exception {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        BlockStore store = open(disk, BOOT);
        CountDownLatch full = new CountDownLatch(2);
        store.onJournalPressure(full::countDown);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread appender =
                new Thread(
                        () -> {
                            try {
                                for (int i = 0; i < 2 * RING; i++) {
                                    store.slotFreed(1);
                                    store.writeJournal();
                                }
                            } catch (Throwable e) {
                                failure.set(e);
                            }
                        });
        appender.start();
        full.await();
        disk.failNext(EIO);
        assertThrows(IOException.class, () -> store.checkpoint(store.cutJournal()));
        appender.join();
        assertEquals(Reason.FAILED, ((StoreException) failure.get()).reason());
    }

    @Test
    void afterAFailedSyncNothingCountsAsDurableAndSlotsAreStillRead() throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 3);
        BlockStore store = open(disk, BOOT);
        store.fileDefined(0, id(1), facts(1));
        StoreFixture.put(store, 1, 0, 1, 1, ALL);
        store.writeJournal();
        disk.failNext(EIO);
        assertThrows(ErrnoException.class, store::sync);
        assertFailed(store::sync);
        assertFailed(store::writeJournal);
        assertFailed(() -> store.slotFreed(1));
        assertFailed(() -> StoreFixture.put(store, 2, 0, 2, 1));
        assertFailed(() -> store.checkpoint(store.cutJournal()));
        assertFailed(() -> store.extendLease(1));
        assertFailed(store::closeClean);
        ByteBuffer bytes = ByteBuffer.allocateDirect(StoreFixture.BLOCK_BYTES);
        store.readSlot(1, 0, bytes);
        assertEquals(StoreFixture.data(0, 1, 1), bytes.flip());
        store.close();
        try (BlockStore again = open(disk.crash(), NEXT_BOOT)) {
            for (int slot : Contents.of(again).slots.keySet()) {
                assertEquals(ALL, StoreFixture.soundPages(again, slot));
            }
        }
    }

    private static void assertFailed(org.junit.jupiter.api.function.Executable call) {
        StoreException e = assertThrows(StoreException.class, call);
        assertEquals(Reason.FAILED, e.reason());
    }

    @Test
    void aFailedSlotWriteIsNobodyElsesProblem() throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 3);
        BlockStore store = open(disk, BOOT);
        disk.failNext(EIO);
        assertThrows(ErrnoException.class, () -> store.writeSlot(1, 0, StoreFixture.data(0, 1, 1)));
        store.slotFreed(1);
        store.sync();
        store.closeClean();
    }

    @Test
    void aClosedStoreRefuses() throws IOException {
        BlockStore store = open(StoreFixture.formatted(), BOOT);
        store.close();
        StoreException e = assertThrows(StoreException.class, () -> store.slotFreed(1));
        assertEquals(Reason.CLOSED, e.reason());
        assertThrows(StoreException.class, store::sync);
    }

    @Test
    void concurrentSyncsShareOne() throws Exception {
        CountDownLatch firstRuns = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger rounds = new AtomicInteger();
        GroupCommit commit =
                new GroupCommit(
                        () -> {
                            rounds.incrementAndGet();
                            firstRuns.countDown();
                            awaitUnchecked(goOn);
                        });
        List<Thread> threads = new ArrayList<>();
        threads.add(start(commit));
        firstRuns.await();
        for (int i = 0; i < 20; i++) {
            threads.add(start(commit));
        }
        while (commit.waiting() < 20) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(2, rounds.get(), "the first, and one for all who came while it ran");
    }

    private static Thread start(GroupCommit commit) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                commit.sync();
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
        thread.start();
        return thread;
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void oneSyncIsOneSyncOfTheDisk() throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), 3);
        BlockStore store = open(disk, BOOT);
        store.fileDefined(0, id(1), facts(1));
        StoreFixture.put(store, 1, 0, 1, 1);
        long before = disk.syncs();
        store.sync();
        assertEquals(1, disk.syncs() - before);
        store.close();
    }

    @Test
    void checkpointsRunWhileOthersAppendAndSync() throws Exception {
        long seed = 5;
        FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), seed);
        BlockStore store = open(disk, BOOT);
        store.fileDefined(0, id(1), facts(1));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int first = t * 50;
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    appendTo(store, first);
                                } catch (Throwable e) {
                                    failure.set(e);
                                }
                            });
            threads.add(thread);
            thread.start();
        }
        boolean alive = true;
        while (alive) {
            store.checkpoint(store.cutJournal());
            alive = threads.stream().anyMatch(Thread::isAlive);
        }
        assertEquals(null, failure.get());
        store.sync();
        MemoryBlockFile left = disk.crash();
        store.close();
        try (BlockStore again = open(left, BOOT)) {
            Contents contents = Contents.of(again);
            assertEquals(200, contents.slots.size());
            for (int slot = 0; slot < 200; slot++) {
                assertEquals(
                        Contents.describe(0, 1000 + slot, ALL, 0),
                        contents.slots.get(slot),
                        "seed " + seed);
                assertEquals(ALL, StoreFixture.soundPages(again, slot), "seed " + seed);
            }
        }
    }

    private static void appendTo(BlockStore store, int first) throws IOException {
        for (int i = 0; i < 200; i++) {
            int slot = first + i % 50;
            store.slotFreed(slot);
            StoreFixture.put(store, slot, 0, (i < 150 ? 500 : 1000) + slot, i);
            if (i % 20 == 0) {
                store.sync();
            }
        }
    }

    @Test
    void aRecordThatNamesWhatTheStoreHasNotIsDamage() throws IOException {
        ByteBuffer bytes = Buffers.direct(256);
        JournalRecord record = new JournalRecord();
        JournalRecord.putMap(bytes, 5, 6, 7, 0b1011, 0b0001, 0b0010, new int[] {1, 2, 3, 4});
        bytes.flip();
        record.read(bytes, GEOMETRY);
        assertEquals(0, bytes.remaining());
        assertEquals(
                List.of(5, 6, 7, 0b1011, 0b0001, 0b0010, 2),
                List.of(
                        record.slot,
                        record.file,
                        record.block,
                        record.validPages,
                        record.dirtyPages,
                        record.changedPages,
                        record.checksums[1]));
        for (int cut = 0; cut < bytes.limit(); cut++) {
            ByteBuffer part = bytes.duplicate().order(bytes.order()).position(0).limit(cut);
            assertThrows(StoreException.class, () -> record.read(part, GEOMETRY), "cut " + cut);
        }
        bytes.putInt(4, GEOMETRY.slotCount());
        assertThrows(StoreException.class, () -> record.read(bytes.position(0), GEOMETRY));
        bytes.putInt(4, 5).putInt(16, 0b11011);
        assertThrows(StoreException.class, () -> record.read(bytes.position(0), GEOMETRY));
        bytes.putInt(0, 99);
        assertThrows(StoreException.class, () -> record.read(bytes.position(0), GEOMETRY));
    }

    @Test
    void aTornJournalBlockIsNotBelieved() {
        ByteBuffer block = Buffers.direct(JournalBlock.BYTES);
        block.position(JournalBlock.HEADER_BYTES);
        JournalRecord.putFree(block, 3);
        JournalBlock.seal(block, 0, 100, 1);
        JournalBlock.finish(block, 0, 7, 9, 55);
        assertTrue(JournalBlock.isValid(block, 0, 7, 9));
        assertEquals(100, JournalBlock.firstRecord(block, 0));
        assertEquals(55, JournalBlock.durableSequence(block, 0));
        assertTrue(!JournalBlock.isValid(block, 0, 8, 9), "another store's");
        assertTrue(!JournalBlock.isValid(block, 0, 7, 9 + RING), "an older one at its place");
        for (int at = 0; at < JournalBlock.BYTES; at++) {
            byte was = block.get(at);
            block.put(at, (byte) (was + 1));
            assertTrue(!JournalBlock.isValid(block, 0, 7, 9), "byte " + at + " is wrong");
            block.put(at, was);
        }
    }
}
