package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.cache.TestBacking.Moment;
import org.ssdcache.store.BlockStore;
import org.ssdcache.testing.FakeClock;

/** Mode writeback: what meets what, one interleaving after the other. */
final class WritebackRacesTest extends WritebackScenario {

    private void write(int value, int offset, int length) {
        try {
            fixture.write(file, bytes(value, length), offset);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertReads(int value, int offset, int length) throws IOException {
        assertArrayEquals(bytes(value, length), fixture.read(file, offset, length), "at " + offset);
    }

    private void cleanAll() {
        try {
            fixture.cleaning.cleanAll();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Once, after the n-th read of the backing from now on. */
    private void afterBackingRead(int n, Runnable action) {
        int[] reads = {0};
        backing()
                .setAfterRead(
                        () -> {
                            if (++reads[0] == n) {
                                backing().setAfterRead(() -> {});
                                action.run();
                            }
                        });
    }

    @Test
    void aWriteThatOvertakesTheCleanerStaysDirty() throws IOException {
        write(2, 0, BLOCK);
        backing().at(Moment.AFTER_WRITE, now -> write(3, 0, PAGE));
        cleanAll();
        assertEquals(1, fixture.cache.dirty().usage().dirtyBlocks());
        assertReads(3, 0, PAGE);
        assertReads(2, PAGE, 3 * PAGE);
        cleanAll();
        fixture.cache.dirty().settle();
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
        assertArrayEquals(bytes(3, PAGE), Arrays.copyOf(backing().content(), PAGE));
    }

    @Test
    void aWriteThatOvertakesTheSyncOfTheCleanerSurvivesAPowerCut() throws IOException {
        write(2, 0, BLOCK);
        fixture.sync(file);
        backing()
                .at(
                        Moment.BEFORE_SYNC,
                        now -> {
                            write(3, 0, PAGE);
                            fixture.sync(file);
                        });
        cleanAll();
        fixture.cutPower();
        assertReads(3, 0, PAGE);
        assertReads(2, PAGE, 3 * PAGE);
    }

    @Test
    void aDirectWriteWaitsForABlockOnItsWayHome() throws Exception {
        write(2, 0, BLOCK);
        CountDownLatch cleaning = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        backing()
                .at(
                        Moment.BEFORE_SYNC,
                        now -> {
                            cleaning.countDown();
                            awaitLatch(goOn);
                        });
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<?> cleaner = threads.submit(this::cleanAll);
            awaitLatch(cleaning);
            fixture.cache.setMode(CacheMode.WRITEAROUND);
            CountDownLatch begun = new CountDownLatch(1);
            Future<?> writer =
                    threads.submit(
                            () -> {
                                begun.countDown();
                                write(3, PAGE, PAGE);
                            });
            awaitLatch(begun);
            assertArrayEquals(bytes(2, BLOCK), Arrays.copyOf(backing().content(), BLOCK));
            assertFalse(writer.isDone());
            goOn.countDown();
            cleaner.get(30, TimeUnit.SECONDS);
            writer.get(30, TimeUnit.SECONDS);
        } finally {
            goOn.countDown();
            threads.shutdown();
        }
        fixture.sync(file);
        fixture.cutPower();
        assertReads(2, 0, PAGE);
        assertReads(3, PAGE, PAGE);
        assertReads(2, 2 * PAGE, 2 * PAGE);
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The cleaner sets an old length while a direct write makes the file longer. */
    @Test
    void aDirectWriteThatGrowsTheFileIsNotCutOffByTheCleaner() throws IOException {
        write(2, 0, BLOCK);
        fixture.cache.setMode(CacheMode.WRITETHROUGH);
        backing().at(Moment.AFTER_WRITE, now -> cleanAll());
        write(3, 4 * BLOCK, BLOCK);
        fixture.cache.dirty().settle();
        fixture.sync(file);
        assertArrayEquals(
                bytes(3, BLOCK), Arrays.copyOfRange(backing().content(), 4 * BLOCK, 5 * BLOCK));
        fixture.cutPower();
        assertReads(2, 0, BLOCK);
        assertReads(3, 4 * BLOCK, BLOCK);
    }

    /** The same before anything of the file was dirty. */
    @Test
    void aDirectWriteUnderWayIsNotCutOffByWhoMakesTheFileDirtyMeanwhile() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            fixture.cache.setMode(CacheMode.WRITETHROUGH);
            backing()
                    .at(
                            Moment.AFTER_WRITE,
                            now -> {
                                fixture.cache.setMode(CacheMode.WRITEBACK);
                                get(threads.submit(() -> write(2, 0, BLOCK)));
                                get(threads.submit(this::cleanAll));
                            });
            write(3, 4 * BLOCK, BLOCK);
        } finally {
            threads.shutdown();
        }
        assertReads(3, 4 * BLOCK, BLOCK);
        cleanAll();
        fixture.cache.dirty().settle();
        assertEquals(5 * BLOCK, backing().sizeBytes());
        assertArrayEquals(
                bytes(3, BLOCK), Arrays.copyOfRange(backing().content(), 4 * BLOCK, 5 * BLOCK));
    }

    private static void get(Future<?> future) {
        try {
            future.get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Which of two fsyncs brings what was written to the disk does not matter to either. */
    @Test
    void aSecondSyncWaitsForTheFirst() throws Exception {
        fixture.cache.setMode(CacheMode.WRITETHROUGH);
        write(2, 0, BLOCK);
        fixture.cache.setMode(CacheMode.WRITEBACK);
        CountDownLatch syncing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        backing()
                .at(
                        Moment.BEFORE_SYNC,
                        now -> {
                            syncing.countDown();
                            awaitLatch(goOn);
                        });
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<?> first =
                    threads.submit(
                            () -> {
                                fixture.sync(file);
                                return null;
                            });
            awaitLatch(syncing);
            long before = backing().disk().syncs();
            fixture.sync(file);
            assertTrue(backing().disk().syncs() > before, "returned before anything was synced");
            goOn.countDown();
            get(first);
        } finally {
            goOn.countDown();
            threads.shutdown();
        }
    }

    @Test
    void aSyncBeforeADirectWriteReachesTheBackingDoesNotCoverIt() throws IOException {
        fixture.cache.setMode(CacheMode.WRITETHROUGH);
        backing()
                .at(
                        Moment.BEFORE_WRITE,
                        now -> {
                            fixture.cache.setMode(CacheMode.WRITEBACK);
                            fixture.sync(file);
                        });
        write(2, 0, BLOCK);
        fixture.sync(file);
        fixture.cutPower();
        assertReads(2, 0, BLOCK);
    }

    /** Between a reader's backing read and its fill: dirty, home, and given up by the cache. */
    @Test
    void aFillFromBeforeTheCleanerIsNotKept() throws IOException {
        fillCacheWithDirtyBlocks(6);
        write(2, BLOCK, PAGE);
        // The reader finds nothing dirty in block 0, then fetches three pages of block 1 one by
        // one,
        // and then claims block 0.
        afterBackingRead(
                1,
                () -> {
                    write(3, 0, PAGE);
                    afterBackingRead(3, () -> evictBlock(0));
                });
        fixture.read(file, 0, 2 * BLOCK);
        assertReads(3, 0, PAGE);
        assertReads(1, PAGE, 3 * PAGE);
        assertReads(2, BLOCK, PAGE);
    }

    /** Everything but one block is dirty, so that is the one to be evicted. */
    private void evictBlock(int block) {
        try {
            fixture.cleaning.cleanNow(open().number(), block, block);
            for (int i = 0; i < 3; i++) {
                fixture.cache.run(Housekeeping.Task.EVICT);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void fillCacheWithDirtyBlocks(int leftFree) throws IOException {
        int other = fixture.create();
        int slots = (int) (fixture.cache.usage().sizeBytes() / BLOCK);
        for (int i = 0; i < slots - leftFree; i++) {
            fixture.write(other, bytes(9, BLOCK), (long) i * BLOCK);
        }
    }

    /** A reader meets the file when its new length is known and the backing still has the old. */
    @Test
    void aReadDuringATruncateDoesNotBringBackWhatWasCutOff() throws IOException {
        write(2, 3 * BLOCK, PAGE);
        backing().at(Moment.BEFORE_TRUNCATE, now -> fixture.read(file, 0, 4 * BLOCK));
        fixture.cache.truncate(open(), 100);
        fixture.cache.truncate(open(), 4 * BLOCK);
        assertReads(1, 0, 100);
        assertReads(0, 100, 4 * BLOCK - 100);
    }

    /** Somebody else's fsync takes the records of a truncate that is half done. */
    @Test
    void aTruncateThatACrashEndsLeavesTheFileLongOrShort() throws IOException {
        int other = fixture.create();
        fixture.write(other, bytes(9, PAGE), 0);
        for (int size : new int[] {0, 100, PAGE, BLOCK + 100}) {
            write(2, 0, 4 * BLOCK);
            fixture.sync(file);
            FileOracle oracle = new FileOracle();
            oracle.write(bytes(2, 4 * BLOCK), 0);
            oracle.sync();
            oracle.truncate(size);
            TestBacking own = backing();
            own.at(Moment.BEFORE_TRUNCATE, now -> fixture.power.endAfter(1));
            assertThrows(IOException.class, () -> fixture.cache.truncate(open(), size));
            fixture.power.restore();
            fixture.cutPower();
            fixture.cache.setMode(CacheMode.WRITEBACK);
            byte[] view = fixture.read(file, 0, 5 * BLOCK);
            String fault = oracle.adopt(view, true);
            assertEquals(null, fault, "size " + size);
            fixture.cache.truncate(open(), 0);
            fixture.cache.truncate(open(), 4 * BLOCK);
            fixture.sync(file);
        }
    }

    /** A new file gets the number of a deleted one whose batch is not finished. */
    @Test
    void aLateCleanerDoesNotTouchTheNextFileOfItsNumber() throws IOException {
        write(2, 0, BLOCK);
        int[] next = new int[1];
        backing()
                .at(
                        Moment.BEFORE_SYNC,
                        now -> {
                            fixture.delete(file);
                            fixture.cache.run(Housekeeping.Task.END_INTERVAL);
                            fixture.cache.run(Housekeeping.Task.EVICT);
                            next[0] = fixture.create();
                            fixture.write(next[0], bytes(7, BLOCK), 0);
                            fixture.sync(next[0]);
                        });
        cleanAll();
        assertEquals(1, fixture.cache.dirty().usage().dirtyBlocks());
        fixture.closeFile(next[0]);
        fixture.openFile(next[0]);
        assertArrayEquals(bytes(7, BLOCK), fixture.read(next[0], 0, BLOCK));
        fixture.cache.run(Housekeeping.Task.EVICT);
        fixture.cutPower();
        fixture.cleaning.cleanAll();
        fixture.cache.dirty().settle();
        assertArrayEquals(bytes(7, BLOCK), fixture.backings.get(next[0]).content());
    }

    /** Settled, but the journal does not have that when the file is changed on the backing. */
    @Test
    void whatIsSyncedAfterTheFileWasSettledIsNotTakenBack() throws Exception {
        fixture.cache.setMode(CacheMode.WRITETHROUGH);
        write(1, 0, PAGE); // the region has its intent
        fixture.cache.setMode(CacheMode.WRITEBACK);
        write(2, 4 * BLOCK, PAGE);
        fixture.sync(file);
        Thread writer =
                new Thread(
                        () -> {
                            write(3, 6 * BLOCK, BLOCK);
                            sync();
                        });
        int[] syncs = {0};
        fixture.ssd.setBeforeSync(
                () -> {
                    // The first makes what is taken durable, the second what was settled.
                    if (Thread.currentThread() != writer && ++syncs[0] == 2) {
                        writer.start();
                        if (isDoneUnlessItWaits(writer)) {
                            fixture.power.endAfter(1);
                        }
                    }
                });
        fixture.cache.setMode(CacheMode.WRITETHROUGH);
        try {
            fixture.cleaning.cleanAll();
        } catch (IOException e) {
            assertTrue(fixture.power.isGone(), e.toString());
        }
        writer.join(30_000);
        fixture.power.restore();
        fixture.cutPower();
        assertReads(3, 6 * BLOCK, BLOCK);
    }

    private void sync() {
        try {
            fixture.sync(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when the thread has ended, or waits for the one that asks. */
    private static boolean isDoneUnlessItWaits(Thread thread) {
        while (thread.isAlive()) {
            if (thread.getState() == Thread.State.WAITING
                    || thread.getState() == Thread.State.BLOCKED) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /** Blocks of one file become dirty and clean at once; the count is what reads rely on. */
    @Test
    void theCountOfAFilesDirtyBlocksIsExact() throws Exception {
        DirtySlots slots = new DirtySlots(64, new FakeClock());
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            Future<?>[] workers = new Future<?>[3];
            for (int i = 0; i < workers.length; i++) {
                int slot = i;
                workers[i] =
                        threads.submit(
                                () -> {
                                    for (int round = 0; round < 500_000; round++) {
                                        slots.add(1, slot);
                                        assertTrue(slots.countOf(1) > 0, "round " + round);
                                        slots.remove(1, slot);
                                    }
                                });
            }
            for (Future<?> worker : workers) {
                get(worker);
            }
        } finally {
            threads.shutdown();
        }
        assertEquals(0, slots.countOf(1));
        assertEquals(0, slots.count());
    }

    @Test
    void theCleanerIsNobodyElseForWhoOpensTheFileOnceMore() throws IOException {
        write(2, 0, BLOCK);
        fixture.closeFile(file);
        fixture.openFile(file);
        FileFacts before = backing().facts();
        backing()
                .at(
                        Moment.BEFORE_SYNC,
                        now -> assertTrue(fixture.cache.reopened(open(), backing().facts())));
        cleanAll();
        assertTrue(fixture.cache.reopened(open(), before), "facts from before the cleaner");
    }

    @Test
    void theCleanerIsNobodyElseForWhoClosesTheFile() throws IOException {
        write(2, 0, BLOCK);
        FileFacts before = backing().facts();
        cleanAll();
        write(3, BLOCK, BLOCK);
        fixture.cache.close(open(), before);
        fixture.openFile(file);
        assertReads(3, BLOCK, BLOCK);
    }

    @Test
    void aTimeThatTheCleanerMovedIsNotTheApplications() throws IOException {
        write(2, 0, BLOCK);
        FileId id = CacheFixture.id(file);
        long writtenNanos = fixture.cache.pendingFacts(id).modifiedNanos();
        FileFacts before = backing().facts();
        backing()
                .at(
                        Moment.BEFORE_SYNC,
                        now -> fixture.cache.attributesChanged(id, before, backing().facts()));
        cleanAll();
        fixture.cache.dirty().settle();
        assertEquals(writtenNanos, backing().facts().modifiedNanos());
    }

    /** The ends of two files have to be put right, with every block of the cache dirty. */
    @Test
    void aCrashInTheMiddleOfTruncatesOfAFullCacheIsRecoveredFrom() throws IOException {
        int second = fixture.create();
        write(2, 0, BLOCK);
        fixture.write(second, bytes(2, BLOCK), 0);
        fillCacheWithDirtyBlocks(0);
        fixture.sync(file);
        List<Integer> numbers = List.of(open().number(), fixture.open.get(second).number());
        fixture.endDaemon();
        BlockStore store = BlockStore.open(fixture.ssd, "boot 1");
        for (int number : numbers) {
            store.filePending(number, new PendingAttributes(100, 1, 1, FileLocator.NONE));
        }
        store.sync();
        store.close();
        fixture.restart();
        for (int truncated : new int[] {file, second}) {
            assertArrayEquals(bytes(2, 100), fixture.read(truncated, 0, BLOCK));
            fixture.cache.truncate(fixture.open.get(truncated), PAGE);
            byte[] expected = Arrays.copyOf(bytes(2, 100), PAGE);
            assertArrayEquals(expected, fixture.read(truncated, 0, PAGE));
        }
    }

    /** Slots of a dead file are swept up without locks: nobody else may touch them any more. */
    @Test
    void aBlockOfAFileThatDiedMeanwhileIsNotMarkedClean() throws IOException {
        write(2, 0, BLOCK);
        TestBacking own = backing();
        own.at(
                Moment.BEFORE_SYNC,
                now -> {
                    fixture.delete(file);
                    fixture.cache.run(Housekeeping.Task.END_INTERVAL);
                });
        cleanAll();
        assertEquals(1, fixture.cache.dirty().usage().dirtyBlocks());
        fixture.cache.run(Housekeeping.Task.EVICT);
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
    }

    @Test
    void afterSettlingNothingIsDirtyOfADeletedFile() throws IOException {
        write(2, 0, 4 * BLOCK);
        fixture.delete(file);
        assertEquals(4, fixture.cache.dirty().usage().dirtyBlocks());
        fixture.cache.dirty().settle();
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
        assertFalse(fixture.lock.locked);
    }
}
