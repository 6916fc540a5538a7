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
import static org.ssdcache.store.StoreFixture.put;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.ssdcache.store.StoreException.Reason;
import org.ssdcache.store.StoreFixture.Contents;
import org.ssdcache.testing.FaultyBlockFile;

/** No sync comes between a slot's data and its record, and nobody waits for ever. */
class ChangeGateTest {
    private static final long JOIN_MILLIS = 60_000;

    /** All but the reserve. */
    private static final double FULL = 1 - 1.0 / JournalRing.RESERVE_SHARE;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private FaultyBlockFile disk;
    private BlockStore store;

    @BeforeEach
    void oneFile() throws IOException {
        disk = new FaultyBlockFile(StoreFixture.formatted(), 1);
        store = open(disk, BOOT);
        store.fileDefined(0, id(1), facts(1));
        store.sync();
    }

    /** What a test does in another thread. */
    private interface Action {
        void run() throws Exception;
    }

    private Thread start(Action action) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                action.run();
                            } catch (Throwable e) {
                                failure.set(e);
                            }
                        });
        thread.start();
        return thread;
    }

    private void finish(Thread thread) throws InterruptedException {
        thread.join(JOIN_MILLIS);
        assertFalse(thread.isAlive(), "a thread waits for ever");
        assertEquals(null, failure.get());
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING
                && thread.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(thread.isAlive(), "it did not wait");
            Thread.onSpinWait();
        }
    }

    private void fillJournal() throws IOException {
        while (store.journalFill() < FULL) {
            store.slotFreed(100);
            store.writeJournal();
        }
    }

    @Test
    void aSyncWaitsForAnOpenChangeAndTakesAllOfIt() throws Exception {
        long syncs = disk.syncs();
        Thread sync;
        try (SlotChange change = store.beginChange()) {
            store.writeSlot(5, 0, data(0, 7, 1));
            sync = start(() -> store.sync());
            awaitWaiting(sync);
            assertEquals(syncs, disk.syncs());
            store.slotMapped(5, 0, 7, ALL, ALL, ALL, StoreFixture.checksums(data(0, 7, 1)));
        }
        finish(sync);
        assertEquals(syncs + 1, disk.syncs());
        assertFalse(store.isYoung(5));
        assertEquals(store.lastSequence(), store.durableSequence());
        try (BlockStore left = open(disk.crash(), NEXT_BOOT)) {
            assertEquals(Map.of(5, Contents.describe(0, 7, ALL, ALL)), Contents.of(left).slots);
        }
    }

    @Test
    void theJournalIsWrittenWhileAChangeIsOpen() throws Exception {
        try (SlotChange change = store.beginChange()) {
            put(store, 5, 0, 7, 1, ALL);
            finish(start(() -> store.writeJournal()));
            assertTrue(store.isYoung(5), "it may be overwritten still: no sync has it");
        }
    }

    @Test
    void insideAChangeWhatWouldWaitForItIsRefused() throws Exception {
        try (SlotChange change = store.beginChange()) {
            assertThrows(IllegalStateException.class, () -> store.beginChange());
            assertThrows(IllegalStateException.class, () -> store.sync());
            assertThrows(IllegalStateException.class, () -> store.writeJournal());
            assertThrows(IllegalStateException.class, () -> store.checkpoint(store.cutJournal()));
        }
        store.checkpoint(store.cutJournal());
    }

    @Test
    void anOpenChangeAppendsWhereOthersWaitAlsoWhileASyncWaitsForIt() throws Exception {
        Thread sync;
        Thread late;
        Thread appender;
        try (SlotChange change = store.beginChange()) {
            finish(start(this::fillJournal));
            appender = start(() -> store.slotFreed(100));
            late = start(() -> store.beginChange().close());
            awaitWaiting(appender);
            awaitWaiting(late);
            sync = start(() -> store.sync());
            awaitWaiting(sync);
            for (int i = 0; i < 1000; i++) {
                put(store, 5, 0, 7, i, ALL);
            }
            assertTrue(store.journalFill() > FULL, "the reserve is used");
        }
        finish(sync);
        assertTrue(late.isAlive() && appender.isAlive(), "there is no room yet");
        store.checkpoint(store.cutJournal());
        finish(late);
        finish(appender);
        store.closeClean();
    }

    @Test
    void anOpenChangeThatFindsNoRoomAtAllFailsAtOnce() throws Exception {
        try (SlotChange change = store.beginChange()) {
            finish(start(this::fillJournal));
            StoreException e =
                    assertThrows(
                            StoreException.class,
                            () -> {
                                for (int i = 0; i < 100_000; i++) {
                                    store.slotFreed(100);
                                }
                            });
            assertEquals(Reason.JOURNAL_FULL, e.reason());
        }
        store.checkpoint(store.cutJournal());
        store.beginChange().close();
        store.closeClean();
    }

    @Test
    void muchThatWaitsIsWrittenWhenTheChangeIsClosed() throws Exception {
        long before;
        try (SlotChange change = store.beginChange()) {
            for (int i = 0; i < 2 * JournalBuffer.BATCH_BLOCKS * JournalBlock.BYTES / 8; i++) {
                store.slotFreed(100);
            }
            before = disk.operations();
        }
        assertTrue(disk.operations() > before, "the backlog is written by who made it");
    }

    @Test
    void aClosedStoreBeginsNoChange() throws IOException {
        store.close();
        StoreException e = assertThrows(StoreException.class, () -> store.beginChange());
        assertEquals(Reason.CLOSED, e.reason());
    }

    /** Writes one block again and again, in place where it may, else to another slot. */
    private final class Writer {
        private final int block;
        private final ArrayDeque<Integer> free = new ArrayDeque<>();
        private final ArrayDeque<long[]> retired = new ArrayDeque<>();
        private final AtomicInteger version = new AtomicInteger();
        private int slot = -1;
        private int moves;

        Writer(int block) {
            this.block = block;
            for (int i = 0; i < 20; i++) {
                free.add(block * 20 + i);
            }
        }

        void write() throws IOException {
            while (!retired.isEmpty() && retired.peek()[1] <= store.durableSequence()) {
                free.add((int) retired.poll()[0]);
            }
            int next = version.get() + 1;
            try (SlotChange change = store.beginChange()) {
                if (slot < 0) {
                    slot = free.poll();
                    put(store, slot, 0, block, next, ALL);
                } else if (store.isYoung(slot) || free.isEmpty()) {
                    assertTrue(store.isYoung(slot), "a sync for each write, and none is done");
                    put(store, slot, 0, block, next, ALL);
                } else {
                    int to = free.poll();
                    move(store, slot, to, 0, block, next, ALL);
                    retired.add(new long[] {slot, store.lastSequence()});
                    slot = to;
                    moves++;
                }
            }
            version.set(next);
        }
    }

    @Test
    void whatASyncAcknowledgesIsThereHoweverManyWriteMeanwhile() throws Exception {
        List<Writer> writers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger stop = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            Writer writer = new Writer(i);
            writers.add(writer);
            threads.add(
                    start(
                            () -> {
                                while (stop.get() == 0) {
                                    writer.write();
                                }
                            }));
        }
        try {
            for (int round = 0; round < 40; round++) {
                int[] acknowledged = writers.stream().mapToInt(w -> w.version.get()).toArray();
                store.sync();
                checkLeft(acknowledged);
                if (store.journalFill() > 0.5) {
                    store.checkpoint(store.cutJournal());
                }
            }
        } finally {
            stop.set(1);
        }
        for (Thread thread : threads) {
            finish(thread);
        }
        assertTrue(writers.stream().allMatch(w -> w.moves > 5), "nothing moved");
    }

    private void checkLeft(int[] acknowledged) throws IOException {
        try (BlockStore left = open(disk.crash(), NEXT_BOOT)) {
            Contents contents = Contents.of(left);
            int[] found = new int[acknowledged.length];
            for (var mapping : contents.mappings.entrySet()) {
                ByteBuffer bytes = ByteBuffer.allocateDirect(StoreFixture.BLOCK_BYTES);
                left.readSlot(mapping.getKey(), 0, bytes);
                int block = mapping.getValue()[1];
                found[block] = bytes.getInt(8);
                assertEquals(data(0, block, found[block]), bytes.flip(), "torn");
            }
            for (int block = 0; block < found.length; block++) {
                assertTrue(
                        found[block] >= acknowledged[block],
                        found[block] + " of " + acknowledged[block] + " acknowledged");
            }
        }
    }
}
