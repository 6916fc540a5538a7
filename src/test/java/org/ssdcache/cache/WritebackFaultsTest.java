package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.cache.TestBacking.Moment;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.StoreGeometry;
import org.ssdcache.testing.FaultyBlockFile;

/** Mode writeback over disks that fail: what is dirty is kept, and nobody reads anything else. */
final class WritebackFaultsTest extends WritebackScenario {

    private void assertReads(int value, int offset, int length) throws IOException {
        assertArrayEquals(bytes(value, length), fixture.read(file, offset, length), "at " + offset);
    }

    private static void assertErrno(int errno, org.junit.jupiter.api.function.Executable call) {
        assertEquals(errno, assertThrows(ErrnoException.class, call).errno());
    }

    /** Every operation of the SSD fails from now on. */
    private static void die(FaultyBlockFile disk) {
        disk.cutPowerAt(disk.operations() + 1);
    }

    /** Damages the one page on the SSD that holds nothing but this value. */
    private void damagePageOf(int value) throws IOException {
        byte[] page = bytes(value, PAGE);
        ByteBuffer found = ByteBuffer.allocate(PAGE);
        int damaged = 0;
        for (long at = 0; at + PAGE <= fixture.ssd.sizeBytes(); at += PAGE) {
            fixture.ssd.read(found.clear(), at);
            if (Arrays.equals(found.array(), page)) {
                fixture.ssd.write(ByteBuffer.wrap(bytes(99, 10)), at + 50);
                damaged++;
            }
        }
        assertEquals(1, damaged);
    }

    private void mountAgain() throws IOException {
        fixture.unmount();
        fixture.restart();
        fixture.cache.setMode(CacheMode.WRITEBACK);
    }

    @Test
    void anSsdReadErrorOfADirtyPageIsTheReaders() throws IOException {
        fixture.write(file, bytes(2, PAGE), 0);
        fixture.ssd.failNext(Errno.EIO);
        assertErrno(Errno.EIO, () -> fixture.read(file, 0, PAGE));
        assertReads(2, 0, PAGE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDeadSsdFailsReadsOfDirtyPagesOnly(boolean remounted) throws IOException {
        fixture.read(file, 0, BLOCK);
        fixture.write(file, bytes(2, PAGE), 0);
        if (remounted) {
            mountAgain();
        }
        die(fixture.ssd);
        for (int i = 0; i < 2 * CacheHealth.LIMIT; i++) {
            assertErrno(Errno.EIO, () -> fixture.read(file, 0, PAGE));
            assertErrno(Errno.EIO, () -> fixture.read(file, 0, BLOCK));
            assertReads(1, PAGE, 3 * PAGE);
            assertReads(1, BLOCK, BLOCK);
        }
    }

    @Test
    void aDamagedDirtyPageIsNeverReadNorCleaned() throws IOException {
        fixture.write(file, bytes(2, PAGE), 0);
        fixture.write(file, bytes(3, PAGE), PAGE);
        mountAgain();
        damagePageOf(2);
        assertErrno(Errno.EIO, () -> fixture.read(file, 100, 10));
        assertErrno(Errno.EIO, () -> fixture.read(file, 0, BLOCK));
        assertReads(3, PAGE, PAGE);
        assertReads(1, 2 * PAGE, PAGE);
        assertErrno(Errno.EIO, () -> fixture.cleaning.cleanAll());
        assertEquals(1, fixture.cache.dirty().usage().dirtyBlocks());
        assertArrayEquals(bytes(1, 4 * BLOCK), backing().content());
        assertErrno(Errno.EIO, () -> fixture.write(file, new byte[10], 100));
    }

    @Test
    void theDiskIsAtWorkBeforeTheSyncOfABatch() throws IOException {
        fixture.write(file, bytes(2, BLOCK), 0);
        long[] startedBytes = {0};
        backing().at(Moment.BEFORE_SYNC, moment -> startedBytes[0] = backing().startedBytes());
        fixture.cleaning.cleanAll();
        assertEquals(BLOCK, startedBytes[0]);
    }

    @Test
    void aDamagedCleanPageComesFromTheBackingAlsoBesideADirtyOne() throws IOException {
        fixture.cache.setMode(CacheMode.NONE);
        fixture.write(file, bytes(5, PAGE), PAGE);
        fixture.cache.setMode(CacheMode.WRITEBACK);
        fixture.read(file, 0, BLOCK);
        fixture.write(file, bytes(2, PAGE), 0);
        mountAgain();
        damagePageOf(5);
        assertReads(5, PAGE, PAGE);
        assertReads(2, 0, PAGE);
        assertReads(1, 2 * PAGE, 2 * PAGE);
    }

    /** The pages that are written next are not those that the checksums are of. */
    @Test
    void aWriteBesideADamagedCleanPageCanBeReadBack() throws IOException {
        fixture.cache.setMode(CacheMode.NONE);
        fixture.write(file, bytes(5, PAGE), PAGE);
        fixture.cache.setMode(CacheMode.WRITEBACK);
        fixture.read(file, 0, BLOCK);
        mountAgain();
        damagePageOf(5);
        fixture.write(file, bytes(2, PAGE), 0);
        assertReads(2, 0, PAGE);
        assertReads(5, PAGE, PAGE);
        assertReads(1, 2 * PAGE, 2 * PAGE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSlotThatCannotBeWrittenIsLeftForAnother(boolean dirtyBefore) throws IOException {
        fixture.read(file, 0, BLOCK);
        if (dirtyBefore) {
            fixture.write(file, bytes(2, BLOCK), 0);
        }
        int before = dirtyBefore ? 2 : 1;
        AtomicInteger failures = new AtomicInteger();
        long slots = StoreGeometry.forSize(4 << 20, BLOCK).slotsOffset();
        fixture.ssd.setBeforeWrite(
                (offset, length) -> offset >= slots && failures.getAndIncrement() == 0);
        fixture.write(file, bytes(3, 100), 200);
        assertTrue(failures.get() > 1, "it was written to another slot");
        fixture.sync(file);
        fixture.cutPower();
        assertReads(before, 0, 200);
        assertReads(3, 200, 100);
        assertReads(before, 300, BLOCK - 300);
    }

    @Test
    void aWriteThatFailsHalfWayShowsNothingBehindTheEnd() throws IOException {
        int created = fixture.create();
        int firstOfSecondBlock = 2 * BLOCK;
        AtomicInteger writes = new AtomicInteger();
        fixture.ssd.setBeforeWrite(
                (offset, length) -> length == BLOCK && writes.incrementAndGet() == 2);
        assertErrno(Errno.EIO, () -> fixture.write(created, bytes(7, 3 * BLOCK), BLOCK));
        fixture.ssd.setBeforeWrite((offset, length) -> false);
        long size = fixture.open.get(created).sizeBytes();
        assertTrue(size == 0 || size == firstOfSecondBlock, "size " + size);
        fixture.cache.truncate(fixture.open.get(created), 8 * BLOCK);
        byte[] expected = new byte[8 * BLOCK];
        if (size > 0) {
            Arrays.fill(expected, BLOCK, firstOfSecondBlock, (byte) 7);
        }
        assertArrayEquals(expected, fixture.read(created, 0, 8 * BLOCK));
    }

    @Test
    void whenTheJournalFailsNothingDirtyIsLost() throws IOException {
        int other = fixture.create();
        fixture.read(file, 0, 4 * BLOCK);
        fixture.write(file, bytes(2, PAGE), 0);
        fixture.sync(file);
        fixture.write(file, bytes(3, PAGE), BLOCK);
        fixture.ssd.failNext(Errno.EIO);
        assertThrows(IOException.class, () -> fixture.sync(file));
        assertThrows(IOException.class, () -> fixture.sync(file), "it is not durable later either");
        assertTrue(fixture.cache.usage().failed());
        assertReads(2, 0, PAGE);
        assertReads(3, BLOCK, PAGE);
        assertThrows(IOException.class, () -> fixture.write(file, bytes(4, PAGE), 0));
        // Its clean blocks neither: the next mount would serve the old ones.
        assertThrows(IOException.class, () -> fixture.write(file, bytes(4, PAGE), 2 * BLOCK));
        assertThrows(IOException.class, () -> fixture.cache.truncate(open(), 10));
        fixture.write(other, bytes(9, BLOCK), 0);
        fixture.sync(other);
        fixture.cutPower();
        assertReads(2, 0, PAGE);
        assertReads(1, PAGE, 3 * PAGE);
        byte[] unsynced = fixture.read(file, BLOCK, PAGE);
        assertTrue(
                Arrays.equals(unsynced, bytes(1, PAGE)) || Arrays.equals(unsynced, bytes(3, PAGE)));
        assertReads(1, 2 * BLOCK, 2 * BLOCK);
        assertArrayEquals(bytes(9, BLOCK), fixture.read(other, 0, BLOCK));
    }

    @ParameterizedTest
    @ValueSource(strings = {"BEFORE_WRITE", "BEFORE_SYNC", "BEFORE_TRUNCATE"})
    void aBackingErrorWhileCleaningIsReportedOnceAndHeals(Moment moment) throws IOException {
        fixture.write(file, bytes(2, BLOCK), 0);
        fixture.sync(file);
        int reported = open().failedSyncs();
        backing()
                .at(
                        moment,
                        now -> {
                            throw new ErrnoException(Errno.EIO, "told to fail");
                        });
        assertErrno(Errno.EIO, () -> fixture.cleaning.cleanAll());
        assertEquals(1, fixture.cache.dirty().usage().dirtyBlocks());
        assertEquals(reported + 1, open().failedSyncs());
        assertTrue(fixture.lock.locked);
        assertReads(2, 0, BLOCK);
        fixture.cleaning.cleanAll();
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
        assertEquals(reported + 1, open().failedSyncs());
        assertReads(2, 0, BLOCK);
        fixture.cutPower();
        assertReads(2, 0, BLOCK);
        assertArrayEquals(bytes(2, BLOCK), Arrays.copyOf(backing().content(), BLOCK));
    }

    @Test
    void aHoleWhoseDirtyBlocksCannotGoHomeLosesNothing() throws IOException {
        fixture.write(file, bytes(2, BLOCK), 0);
        backing()
                .at(
                        Moment.BEFORE_WRITE,
                        now -> {
                            throw new ErrnoException(Errno.EIO, "told to fail");
                        });
        int punch = Resizing.PUNCH_HOLE | Resizing.KEEP_SIZE;
        assertErrno(Errno.EIO, () -> fixture.cache.allocate(open(), punch, 0, 2 * BLOCK));
        assertReads(2, 0, BLOCK);
        assertReads(1, BLOCK, BLOCK);
        fixture.cache.allocate(open(), punch, 0, 2 * BLOCK);
        assertReads(0, 0, 2 * BLOCK);
        assertReads(1, 2 * BLOCK, 2 * BLOCK);
    }

    @ParameterizedTest
    @ValueSource(ints = {Errno.ENOSPC, Errno.EDQUOT})
    void aFullBackingIsTheWriters(int errno) throws IOException {
        int created = fixture.create();
        TestBacking target = fixture.backings.get(created);
        target.setHook(
                moment -> {
                    if (moment == Moment.BEFORE_ALLOCATE) {
                        throw new ErrnoException(errno, "no room");
                    }
                });
        assertErrno(errno, () -> fixture.write(created, bytes(2, BLOCK), 0));
        assertErrno(errno, () -> fixture.write(created, bytes(2, 10), 5 * BLOCK));
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
        assertEquals(0, fixture.open.get(created).sizeBytes());
        fixture.write(file, bytes(2, BLOCK), 0);
        assertReads(2, 0, BLOCK);
    }

    @Test
    void aBackingThatCannotReserveSpaceIsWrittenNevertheless() throws IOException {
        int created = fixture.create();
        fixture.backings
                .get(created)
                .at(
                        Moment.BEFORE_ALLOCATE,
                        moment -> {
                            throw new ErrnoException(Errno.EOPNOTSUPP, "no fallocate");
                        });
        fixture.write(created, bytes(2, BLOCK), 0);
        fixture.cleaning.cleanAll();
        assertArrayEquals(bytes(2, BLOCK), fixture.backings.get(created).content());
    }

    /** Whatever was reserved and given back before: no block is dirty without its space. */
    @Test
    void everyDirtyByteHasItsSpaceOnTheBacking() throws IOException {
        int created = fixture.create();
        TestBacking target = fixture.backings.get(created);
        for (int i = 0; i < 20; i++) {
            fixture.write(created, bytes(i, 3000), 3000L * i);
            long space = target.allocatedBytes();
            assertTrue(space >= 3000L * (i + 1), "write " + i + " has " + space);
            if (i % 3 == 0) {
                fixture.cleaning.cleanAll();
                fixture.cache.dirty().settle();
                assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
            }
            if (i % 7 == 0) {
                int punch = Resizing.PUNCH_HOLE | Resizing.KEEP_SIZE;
                fixture.cache.allocate(fixture.open.get(created), punch, 0, 3000L * (i + 1));
                fixture.write(created, bytes(i, 3000 * (i + 1)), 0);
                assertTrue(target.allocatedBytes() >= 3000L * (i + 1));
            }
        }
    }

    @Test
    void whenEveryBlockIsDirtyWritesGoOn() throws IOException {
        int slots = (int) (fixture.cache.usage().sizeBytes() / BLOCK);
        int created = fixture.create();
        FileOracle oracle = new FileOracle();
        for (int i = 0; i < slots + 20; i++) {
            byte[] bytes = bytes(i, BLOCK);
            oracle.write(bytes, i * BLOCK);
            fixture.write(created, bytes, (long) i * BLOCK);
        }
        assertTrue(fixture.cache.dirty().usage().dirtyBlocks() >= slots - 1);
        fixture.sync(created);
        for (int i = 0; i < 20; i++) {
            byte[] bytes = bytes(100 + i, 100);
            oracle.write(bytes, i * BLOCK + 4000);
            fixture.write(created, bytes, (long) i * BLOCK + 4000);
        }
        fixture.cache.truncate(fixture.open.get(created), oracle.size() - 100);
        oracle.truncate(oracle.size() - 100);
        fixture.sync(created);
        fixture.cutPower();
        fixture.cache.setMode(CacheMode.WRITEBACK);
        for (int at = 0; at < oracle.size(); at += BLOCK) {
            int end = Math.min(oracle.size(), at + BLOCK);
            byte[] expected = Arrays.copyOfRange(oracle.content(), at, end);
            assertArrayEquals(expected, fixture.read(created, at, BLOCK), "at " + at);
        }
        fixture.cleaning.cleanAll();
        fixture.cache.dirty().settle();
        assertArrayEquals(oracle.content(), fixture.backings.get(created).content());
    }

    @Test
    void aDirtyFileChangedBehindTheCacheIsRefusedAndKept() throws IOException {
        fixture.write(file, bytes(2, BLOCK), 0);
        fixture.unmount();
        fixture.clock.advanceNanos(1000);
        backing().write(ByteBuffer.wrap(bytes(8, 2 * BLOCK)), 0);
        fixture.start();
        assertErrno(Errno.EIO, () -> fixture.openFile(file));
        assertEquals(List.of(CacheFixture.id(file)), fixture.cache.dirty().conflicts());
        assertArrayEquals(bytes(8, 2 * BLOCK), Arrays.copyOf(backing().content(), 2 * BLOCK));
        assertEquals(1, fixture.cache.dirty().usage().dirtyBlocks());
        fixture.cache.dirty().keepCache(CacheFixture.id(file));
        fixture.openFile(file);
        assertReads(2, 0, BLOCK);
        assertReads(8, BLOCK, BLOCK);
    }

    @Test
    void ofAConflictTheBackingCanBeKept() throws IOException {
        fixture.write(file, bytes(2, BLOCK), 0);
        fixture.unmount();
        fixture.clock.advanceNanos(1000);
        backing().write(ByteBuffer.wrap(bytes(8, 2 * BLOCK)), 0);
        fixture.start();
        fixture.cache.dirty().keepBacking(CacheFixture.id(file));
        fixture.openFile(file);
        assertReads(8, 0, 2 * BLOCK);
        fixture.cache.run(Housekeeping.Task.EVICT);
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
    }

    /** Seeds decide whether the disk had the unlink when the power went. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aDeletedFileThatAPowerCutBringsBackIsWhole(int seed) throws IOException {
        fixture = new CacheFixture(directory, 4 << 20, BLOCK, seed);
        file = fixture.create();
        fixture.cache.setMode(CacheMode.WRITEBACK);
        fixture.write(file, bytes(2, 2 * BLOCK), 0);
        fixture.sync(file);
        fixture.delete(file);
        fixture.cleaning.cleanAll();
        fixture.cache.dirty().settle();
        fixture.cache.run(Housekeeping.Task.EVICT);
        fixture.cache.run(Housekeeping.Task.CHECKPOINT);
        if (seed % 2 == 0) {
            // The next daemon finds the file gone, which the disk does not know yet.
            fixture.kill();
            fixture.cleaning.cleanAll();
            fixture.cache.dirty().settle();
            fixture.cache.run(Housekeeping.Task.EVICT);
            fixture.cache.run(Housekeeping.Task.CHECKPOINT);
        }
        fixture.cutPower();
        if (backing().exists()) {
            assertReads(2, 0, 2 * BLOCK);
            fixture.delete(file);
        }
        fixture.cleaning.cleanAll();
        fixture.maintain();
        fixture.maintain();
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
        fixture.cache.dirty().settle();
        assertFalse(fixture.lock.locked);
    }

    @Test
    void theBackingIsLockedBeforeAnythingIsDirtyAndUnlockedAfterIt() throws IOException {
        fixture.lock.onChange =
                () -> assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks(), "at a change");
        fixture.write(file, bytes(2, BLOCK), 0);
        assertTrue(fixture.lock.locked);
        fixture.cache.run(Housekeeping.Task.SETTLE);
        assertTrue(fixture.lock.locked);
        fixture.cleaning.cleanAll();
        fixture.cache.dirty().settle();
        assertFalse(fixture.lock.locked);
        fixture.write(file, bytes(3, BLOCK), 0);
        assertTrue(fixture.lock.locked);
        fixture.lock.onChange = () -> {};
        mountAgain();
        assertTrue(fixture.lock.locked);
        assertReads(3, 0, BLOCK);
    }

    @Test
    void withoutTheLockNothingBecomesDirty() throws IOException {
        fixture.lock.onChange =
                () -> {
                    throw new IllegalStateException("cannot be locked");
                };
        assertThrows(IllegalStateException.class, () -> fixture.write(file, bytes(2, BLOCK), 0));
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
        assertReads(1, 0, BLOCK);
    }

    @Test
    void whatTakesThePlaceOfAFileSurvivesAPowerCut() throws IOException {
        fixture.write(file, bytes(2, BLOCK), 0);
        fixture.cache.secure(CacheFixture.id(file));
        fixture.cutPower();
        assertReads(2, 0, BLOCK);
    }

    /** The end of the file has to go home first, and something fails after it did. */
    @Test
    void aTruncateThatFailsTakesNothingWithIt() throws IOException {
        int slots = (int) (fixture.cache.usage().sizeBytes() / BLOCK);
        int created = fixture.create();
        for (int i = 0; i < slots + 2; i++) {
            fixture.write(created, bytes(2, BLOCK), (long) i * BLOCK);
        }
        fixture.sync(created);
        CachedFile target = fixture.open.get(created);
        long sizeBytes = target.sizeBytes();
        fixture.cache
                .dirty()
                .setCleaning(
                        new CleaningService() {
                            @Override
                            public void beforeDirty(int blocks) {}

                            @Override
                            public void dirtied() {}

                            @Override
                            public void cleanNow(int number, int firstBlock, int lastBlock)
                                    throws IOException {
                                fixture.cleaning.cleanNow(number, firstBlock, lastBlock);
                                throw new ErrnoException(Errno.EIO, "told to fail");
                            }
                        });
        assertErrno(Errno.EIO, () -> fixture.cache.truncate(target, BLOCK + 100));
        assertEquals(sizeBytes, target.sizeBytes());
        fixture.cleaning.cleanAll();
        fixture.cache.dirty().settle();
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
        byte[] home = fixture.backings.get(created).content();
        assertArrayEquals(bytes(2, (int) sizeBytes), home);
    }

    @Test
    void aTruncateThatFailedIsNotMadeUpForByACrash() throws IOException {
        int other = fixture.create();
        fixture.write(file, bytes(2, 2 * BLOCK), 0);
        fixture.sync(file);
        long slots = StoreGeometry.forSize(4 << 20, BLOCK).slotsOffset();
        fixture.ssd.setBeforeWrite((offset, length) -> offset >= slots);
        assertThrows(IOException.class, () -> fixture.cache.truncate(open(), 100));
        fixture.ssd.setBeforeWrite((offset, length) -> false);
        assertEquals(4 * BLOCK, open().sizeBytes());
        fixture.write(other, bytes(9, PAGE), 0);
        fixture.sync(other);
        fixture.cutPower();
        assertReads(2, 0, 2 * BLOCK);
        assertReads(1, 2 * BLOCK, 2 * BLOCK);
    }

    @Test
    void whatTheBackingWouldNotCutOffDoesNotComeBack() throws IOException {
        fixture.write(file, bytes(2, PAGE), 0);
        refuseOneTruncate();
        assertErrno(Errno.EIO, () -> fixture.cache.truncate(open(), PAGE));
        assertEquals(PAGE, open().sizeBytes());
        refuseOneTruncate();
        assertErrno(Errno.EIO, () -> fixture.write(file, bytes(3, PAGE), 3 * BLOCK));
        fixture.write(file, bytes(3, PAGE), 3 * BLOCK);
        assertReads(2, 0, PAGE);
        assertReads(0, PAGE, 3 * BLOCK - PAGE);
        assertReads(3, 3 * BLOCK, PAGE);
    }

    private void refuseOneTruncate() {
        backing()
                .at(
                        Moment.BEFORE_TRUNCATE,
                        now -> {
                            throw new ErrnoException(Errno.EIO, "told to fail");
                        });
    }

    @Test
    void bytesThatCouldNotBeHandedToTheDiskStayDirty() throws IOException {
        fixture.write(file, bytes(2, BLOCK), 0);
        backing()
                .at(
                        Moment.BEFORE_START,
                        now -> {
                            throw new ErrnoException(Errno.ENOSPC, "told to fail");
                        });
        assertErrno(Errno.ENOSPC, () -> fixture.cleaning.cleanAll());
        assertEquals(1, fixture.cache.dirty().usage().dirtyBlocks());
        fixture.cleaning.cleanAll();
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks());
    }

    /** The backing may have lost what it had of it. */
    @Test
    void aCleanBlockThatWasPartOfAFailedWriteIsDirty() throws IOException {
        fixture.read(file, BLOCK, BLOCK);
        fixture.write(file, bytes(2, BLOCK), 0);
        int number = open().number();
        ByteBuffer both = ByteBuffer.allocateDirect(2 * BLOCK);
        refuseOneWrite();
        try (CleaningFile target = fixture.cache.dirty().blocks().begin(number)) {
            target.take(0, both.slice(0, BLOCK));
            target.take(1, both.slice(BLOCK, BLOCK));
            assertErrno(Errno.EIO, () -> target.write(both, 0));
        }
        assertEquals(2, fixture.cache.dirty().usage().dirtyBlocks());
        backing().disk().write(ByteBuffer.allocateDirect(BLOCK), BLOCK);
        fixture.cleaning.cleanAll();
        assertArrayEquals(
                bytes(1, BLOCK), Arrays.copyOfRange(backing().content(), BLOCK, 2 * BLOCK));
    }

    private void refuseOneWrite() {
        backing()
                .at(
                        Moment.BEFORE_WRITE,
                        now -> {
                            throw new ErrnoException(Errno.EIO, "told to fail");
                        });
    }
}
