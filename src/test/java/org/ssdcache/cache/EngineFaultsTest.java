package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.metrics.Counter;

/** Disks that fail, crashes, and files changed by others: what stays warm and what must not. */
final class EngineFaultsTest {
    private static final int EIO = 5;
    private static final int EFBIG = 27;
    private static final int BLOCK = 16 << 10;
    private static final int FILE_BYTES = 64 * BLOCK;

    @TempDir Path directory;

    private CacheFixture fixture;
    private int file;
    private byte[] content;

    @BeforeEach
    void oneCachedFile() throws IOException {
        fixture = new CacheFixture(directory, (16 << 20) + (64 << 10), BLOCK, 7);
        file = fixture.create();
        content = new byte[FILE_BYTES];
        new Random(7).nextBytes(content);
        fixture.cache.setMode(CacheMode.NONE);
        for (int at = 0; at < FILE_BYTES; at += 4 * BLOCK) {
            fixture.write(file, Arrays.copyOfRange(content, at, at + 4 * BLOCK), at);
        }
        fixture.cache.setMode(CacheMode.WRITETHROUGH);
        readAll();
        fixture.maintain();
    }

    private void readAll() throws IOException {
        for (int at = 0; at < FILE_BYTES; at += 4 * BLOCK) {
            byte[] expected = Arrays.copyOfRange(content, at, at + 4 * BLOCK);
            assertArrayEquals(expected, fixture.read(file, at, 4 * BLOCK), "at " + at);
        }
    }

    private long backingReadsOfAFullPass() throws IOException {
        long before = fixture.allBackingReads();
        readAll();
        return fixture.allBackingReads() - before;
    }

    @Test
    void anSsdThatCannotBeReadCostsSpeedButNoRead() throws IOException {
        fixture.ssd.failNext(EIO);
        readAll();
        assertEquals(1, fixture.count(Counter.SSD_ERRORS));
        assertEquals(0, backingReadsOfAFullPass());
    }

    @Test
    void anSsdThatCannotBeWrittenFailsNoWrite() throws IOException {
        byte[] bytes = new byte[BLOCK];
        fixture.write(file, bytes, 0);
        fixture.ssd.failNext(EIO);
        fixture.write(file, bytes, BLOCK);
        Arrays.fill(content, 0, 2 * BLOCK, (byte) 0);
        readAll();
        assertEquals(1, fixture.count(Counter.SSD_ERRORS));
    }

    @Test
    void aSlotThatLostItsBytesWhileUnmountedIsAnErrorOfTheSsd() throws IOException {
        fixture.unmount();
        overwriteSlotOfFirstBlock();
        fixture.restart();
        readAll();
        assertEquals(1, fixture.count(Counter.SSD_ERRORS));
    }

    /** Its bytes are newer than its entry then: the record was lost with the daemon. */
    @Test
    void aSlotThatIsNewerThanItsRecordAfterACrashIsNoErrorOfTheSsd() throws IOException {
        fixture.endDaemon();
        overwriteSlotOfFirstBlock();
        fixture.restart();
        assertEquals(1, backingReadsOfAFullPass());
        assertEquals(0, fixture.count(Counter.SSD_ERRORS));
    }

    private void overwriteSlotOfFirstBlock() throws IOException {
        byte[] page = Arrays.copyOf(content, BlockGeometry.PAGE_BYTES);
        ByteBuffer found = ByteBuffer.allocate(BlockGeometry.PAGE_BYTES);
        for (long at = 0; at < fixture.ssd.sizeBytes(); at += BlockGeometry.PAGE_BYTES) {
            fixture.ssd.read(found.clear(), at);
            if (Arrays.equals(page, found.array())) {
                fixture.ssd.write(ByteBuffer.allocate(BlockGeometry.PAGE_BYTES), at);
                return;
            }
        }
        fail("the first block is not in the store");
    }

    /** The first image after a rebuild must know the file, else its number goes to another one. */
    @Test
    void aFileThatHadNoBlockWhenTheIndexWasRebuiltKeepsItsNumber() throws IOException {
        int second = fixture.create();
        fixture.cache.setMode(CacheMode.NONE);
        byte[] bytes = new byte[BLOCK];
        new Random(8).nextBytes(bytes);
        fixture.write(second, bytes, 0);
        fixture.cache.run(Housekeeping.Task.END_INTERVAL);
        fixture.cache.run(Housekeeping.Task.CHECKPOINT);
        fixture.kill();
        assertArrayEquals(bytes, fixture.read(second, 0, BLOCK));
        fixture.remount();
        int third = fixture.create();
        fixture.cache.setMode(CacheMode.NONE);
        byte[] others = new byte[BLOCK];
        fixture.write(third, others, 0);
        fixture.cache.setMode(CacheMode.WRITETHROUGH);
        assertArrayEquals(others, fixture.read(third, 0, BLOCK));
        assertArrayEquals(bytes, fixture.read(second, 0, BLOCK));
    }

    @Test
    void whatHasNoBlockNumberIsRefusedAndChangesNothing() throws IOException {
        long end = (long) BLOCK << 31;
        CachedFile open = fixture.open.get(file);
        assertTooBig(() -> fixture.write(file, new byte[1], end));
        assertTooBig(() -> fixture.write(file, new byte[2], end - 1));
        assertTooBig(() -> fixture.write(file, new byte[1], 1L << 62));
        assertTooBig(() -> fixture.cache.truncate(open, end + 1));
        assertTooBig(() -> fixture.cache.allocate(open, 0, end - 1, 2));
        assertEquals(FILE_BYTES, open.sizeBytes());
        assertEquals(0, backingReadsOfAFullPass());
    }

    private static void assertTooBig(Executable call) {
        assertEquals(EFBIG, assertThrows(ErrnoException.class, call).errno());
    }

    @Test
    void anSsdThatKeepsFailingIsLeftAlone() throws IOException {
        for (int i = 0; i < CacheHealth.LIMIT; i++) {
            fixture.ssd.failNext(EIO);
            fixture.read(file, (long) i * BLOCK, BLOCK);
        }
        assertTrue(fixture.cache.usage().degraded());
        readAll();
        assertTrue(fixture.count(Counter.BYPASSED_ERROR) > 0);
        fixture.clock.advanceNanos(CacheHealth.REST_NANOS);
        readAll();
        assertEquals(0, backingReadsOfAFullPass());
    }

    @Test
    void aFailedBackingWriteDropsTheBlock() throws IOException {
        byte[] bytes = new byte[BLOCK];
        fixture.backings.get(file).disk().failNext(EIO);
        assertThrows(ErrnoException.class, () -> fixture.write(file, bytes, 0));
        byte[] onBacking = Arrays.copyOf(fixture.backings.get(file).content(), BLOCK);
        assertArrayEquals(onBacking, fixture.read(file, 0, BLOCK));
    }

    @Test
    void aFailedSyncIsCountedForEveryHandle() {
        fixture.backings.get(file).disk().failNext(EIO);
        CachedFile open = fixture.open.get(file);
        assertThrows(ErrnoException.class, () -> fixture.cache.sync(open, true, true));
        assertEquals(1, open.failedSyncs());
    }

    @Test
    void everythingIsWarmAfterARemount() throws IOException {
        fixture.remount();
        assertEquals(0, backingReadsOfAFullPass());
    }

    @Test
    void everythingIsWarmAfterAKill() throws IOException {
        fixture.kill();
        assertEquals(0, backingReadsOfAFullPass());
    }

    @Test
    void everythingIsWarmAfterAPowerCut() throws IOException {
        fixture.cutPower();
        assertEquals(0, backingReadsOfAFullPass());
    }

    @Test
    void aLostIndexCostsNothing() throws IOException {
        for (int file = 0; file < fixture.open.size(); file++) {
            fixture.closeFile(file);
        }
        fixture.cache.close();
        try (var files = Files.list(directory)) {
            for (Path path : files.toList()) {
                Files.delete(path);
            }
        }
        fixture.start();
        fixture.openFile(file);
        assertEquals(0, backingReadsOfAFullPass());
    }

    @Test
    void afterACrashOnlyTheWrittenRegionIsCold() throws IOException {
        int second = fixture.create();
        fixture.write(second, new byte[BLOCK], 0);
        fixture.maintain();
        fixture.read(second, 0, BLOCK);
        fixture.write(second, new byte[BLOCK], 0);
        fixture.kill();
        assertEquals(0, backingReadsOfAFullPass());
        fixture.read(second, 0, BLOCK);
        assertEquals(1, fixture.allBackingReads() - readsOf(file));
    }

    private long readsOf(int other) {
        return fixture.backings.get(other).reads();
    }

    @Test
    void aNewFileCostsNoSyncOfTheSsd() throws IOException {
        long before = fixture.ssd.syncs();
        int created = fixture.create();
        fixture.write(created, new byte[BLOCK], 0);
        assertEquals(before, fixture.ssd.syncs());
        fixture.write(file, new byte[BLOCK], 0);
        assertEquals(before + 1, fixture.ssd.syncs());
        fixture.write(file, new byte[BLOCK], BLOCK);
        assertEquals(before + 1, fixture.ssd.syncs());
    }

    @Test
    void aFileChangedByOthersWhileUnmountedIsReadAnew() throws IOException {
        fixture.closeFile(file);
        fixture.cache.close();
        fixture.backings.get(file).write(java.nio.ByteBuffer.allocateDirect(BLOCK), 0);
        Arrays.fill(content, 0, BLOCK, (byte) 0);
        fixture.start();
        fixture.openFile(file);
        readAll();
    }

    @Test
    void aFileChangedByOthersAfterACrashIsReadAnew() throws IOException {
        fixture.write(file, Arrays.copyOf(content, BLOCK), 0);
        fixture.clock.advanceNanos(WriteIntents.LEASE_NANOS * 2);
        int other = 40 * BLOCK;
        fixture.backings.get(file).write(java.nio.ByteBuffer.allocateDirect(BLOCK), other);
        Arrays.fill(content, other, other + BLOCK, (byte) 0);
        fixture.kill();
        readAll();
    }

    @Test
    void ownAttributeChangesKeepTheBlocks() throws IOException {
        fixture.closeFile(file);
        FileFacts before = fixture.backings.get(file).facts();
        FileFacts after = new FileFacts(before.sizeBytes(), before.modifiedNanos(), 99);
        fixture.cache.attributesChanged(CacheFixture.id(file), before, after);
        fixture.open.set(
                file,
                fixture.cache.open(
                        CacheFixture.id(file),
                        FileLocator.NONE,
                        fixture.backings.get(file),
                        after,
                        () -> after));
        assertEquals(0, backingReadsOfAFullPass());
    }

    @Test
    void aDeletedFileFreesItsSlotsAndItsNumberIsUsedAgain() throws IOException {
        fixture.closeFile(file);
        fixture.cache.deleted(CacheFixture.id(file));
        fixture.maintain();
        assertEquals(0, fixture.cache.usage().usedBytes());
        int created = fixture.create();
        byte[] bytes = new byte[BLOCK];
        Arrays.fill(bytes, (byte) 3);
        fixture.write(created, bytes, 0);
        assertArrayEquals(bytes, fixture.read(created, 0, BLOCK));
        fixture.cache.checkInvariants();
    }

    /** A change by somebody else while the file is open, as with a mount elsewhere. */
    private void changeBehind(int offset) throws IOException {
        fixture.clock.advanceNanos(1000);
        fixture.backings.get(file).write(java.nio.ByteBuffer.allocateDirect(BLOCK), offset);
        Arrays.fill(content, offset, offset + BLOCK, (byte) 0);
    }

    @Test
    void aForeignChangeWhileOpenIsNotAdoptedAtTheClose() throws IOException {
        fixture.closeFile(file);
        fixture.openFile(file);
        changeBehind(3 * BLOCK);
        fixture.closeFile(file);
        fixture.openFile(file);
        readAll();
    }

    @Test
    void aForeignChangeIsNoticedWhenAnOpenFileIsOpenedOnceMore() throws IOException {
        fixture.closeFile(file);
        fixture.openFile(file);
        changeBehind(3 * BLOCK);
        CachedFile open = fixture.open.get(file);
        assertFalse(fixture.cache.reopened(open, fixture.backings.get(file).facts()));
        readAll();
        assertEquals(0, backingReadsOfAFullPass());
    }

    @Test
    void aForeignChangeStaysForeignAfterOwnWritesAndACrash() throws IOException {
        fixture.closeFile(file);
        changeBehind(3 * BLOCK);
        fixture.openFile(file);
        fixture.write(file, Arrays.copyOf(content, BLOCK), 0);
        fixture.kill();
        readAll();
    }

    @Test
    void aBackingThatCannotSyncIsNotOutlivedByTheCache() throws IOException {
        byte[] bytes = new byte[BLOCK];
        fixture.write(file, bytes, 0);
        fixture.backings.get(file).disk().failNext(EIO);
        assertThrows(
                ErrnoException.class, () -> fixture.cache.sync(fixture.open.get(file), true, true));
        long before = fixture.allBackingReads();
        fixture.read(file, 0, BLOCK);
        assertEquals(before + 1, fixture.allBackingReads());
    }

    @Test
    void numbersOfFilesWithoutBlocksAreUsedAgain() throws IOException {
        int slots = (int) (fixture.cache.usage().sizeBytes() / BLOCK);
        byte[] bytes = new byte[BLOCK];
        for (int i = 0; i < slots * 2; i++) {
            int created = fixture.create();
            fixture.write(created, bytes, 0);
            fixture.closeFile(created);
            if (i % 50 == 0) {
                fixture.maintain();
            }
        }
        fixture.maintain();
        int last = fixture.create();
        fixture.write(last, bytes, 0);
        long before = fixture.allBackingReads();
        assertArrayEquals(bytes, fixture.read(last, 0, BLOCK));
        assertEquals(before, fixture.allBackingReads());
        fixture.cache.checkInvariants();
    }

    @Test
    void aForeignChangeAfterACloseIsForeignAlsoWhenTheFileIsStillOpen() throws IOException {
        fixture.write(file, Arrays.copyOf(content, BLOCK), 0);
        fixture.cache.flushed(fixture.open.get(file));
        changeBehind(3 * BLOCK);
        fixture.closeFile(file);
        fixture.openFile(file);
        readAll();
    }

    @Test
    void aForeignChangeOfAClosedFileIsForeignAlsoWithinTheLease() throws IOException {
        int other = fixture.create();
        fixture.write(file, Arrays.copyOf(content, BLOCK), 0);
        fixture.closeFile(file);
        changeBehind(3 * BLOCK);
        fixture.write(other, new byte[BLOCK], 0);
        fixture.cache.run(Housekeeping.Task.CHECKPOINT);
        fixture.kill();
        readAll();
    }

    @Test
    void aStoreThatSomebodyCutShortIsNotUsedAnyMore() throws IOException {
        fixture.ssd.truncate(1 << 20);
        readAll();
        assertTrue(fixture.cache.usage().failed());
        readAll();
    }
}
