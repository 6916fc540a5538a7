package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ssdcache.metrics.Counter;

/** What happens between a miss and its fill. */
final class EngineRacesTest {
    private static final int BLOCK = 16 << 10;

    @TempDir Path directory;

    private CacheFixture fixture;
    private int file;

    @BeforeEach
    void oneFileOfOnes() throws IOException {
        fixture = new CacheFixture(directory, 16 << 20, BLOCK, 1);
        file = fixture.create();
        fixture.cache.setMode(CacheMode.NONE);
        fixture.write(file, bytes(1, 8 * BLOCK), 0);
        fixture.cache.setMode(CacheMode.WRITETHROUGH);
    }

    private static byte[] bytes(int value, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    /** Once, between the backing read of a miss and everything after it. */
    private void duringNextMiss(Runnable action) {
        TestBacking backing = fixture.backings.get(file);
        backing.setAfterRead(
                () -> {
                    backing.setAfterRead(() -> {});
                    action.run();
                });
    }

    private void write(int value, int length) {
        try {
            fixture.write(file, bytes(value, length), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bcache race of 2021: a bypassed write while a miss is under way. */
    @ParameterizedTest
    @EnumSource(CacheMode.class)
    void aWriteDuringAMissIsNeverHiddenByTheFill(CacheMode mode) throws IOException {
        fixture.cache.setMode(mode);
        duringNextMiss(() -> write(2, BLOCK));
        fixture.read(file, 0, 4096);
        assertArrayEquals(bytes(2, BLOCK), fixture.read(file, 0, BLOCK));
        fixture.cache.setMode(CacheMode.WRITETHROUGH);
        assertArrayEquals(bytes(2, BLOCK), fixture.read(file, 0, BLOCK));
        fixture.remount();
        assertArrayEquals(bytes(2, BLOCK), fixture.read(file, 0, BLOCK));
    }

    @Test
    void aSubBlockWriteDuringAMissIsNeverHiddenByTheFill() throws IOException {
        duringNextMiss(() -> write(2, 100));
        fixture.read(file, 0, BLOCK);
        byte[] expected = bytes(1, BLOCK);
        Arrays.fill(expected, 0, 100, (byte) 2);
        assertArrayEquals(expected, fixture.read(file, 0, BLOCK));
    }

    @Test
    void aTruncateDuringAMissIsNeverHiddenByTheFill() throws IOException {
        duringNextMiss(
                () -> {
                    try {
                        fixture.cache.truncate(fixture.open.get(file), 10);
                        fixture.cache.truncate(fixture.open.get(file), BLOCK);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
        fixture.read(file, 0, BLOCK);
        byte[] expected = new byte[BLOCK];
        Arrays.fill(expected, 0, 10, (byte) 1);
        assertArrayEquals(expected, fixture.read(file, 0, BLOCK));
    }

    @Test
    void aFileDeletedDuringAMissLeavesNoBlock() throws IOException {
        fixture.read(file, 4 * BLOCK, BLOCK);
        duringNextMiss(() -> fixture.cache.deleted(CacheFixture.id(file)));
        fixture.read(file, 0, BLOCK);
        fixture.maintain();
        assertEquals(0, fixture.cache.usage().usedBytes());
        fixture.cache.checkInvariants();
    }

    @Test
    void twoReadersOfOneBlockReadItOnce() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        duringNextMiss(
                () -> {
                    reading.countDown();
                    try {
                        assertTrue(goOn.await(10, TimeUnit.SECONDS));
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<byte[]> first = threads.submit(() -> fixture.read(file, 0, BLOCK));
            assertTrue(reading.await(10, TimeUnit.SECONDS));
            Future<byte[]> second = threads.submit(() -> fixture.read(file, 100, 200));
            goOn.countDown();
            assertArrayEquals(bytes(1, BLOCK), first.get(10, TimeUnit.SECONDS));
            assertArrayEquals(bytes(1, 200), second.get(10, TimeUnit.SECONDS));
        } finally {
            threads.shutdown();
        }
        assertEquals(1, fixture.allBackingReads());
    }

    @Test
    void missesNextToEachOtherAreOneBackingRead() throws IOException {
        fixture.read(file, 0, 8 * BLOCK);
        assertEquals(1, fixture.allBackingReads());
        assertEquals(1, fixture.count(Counter.CACHE_MISSES));
        fixture.read(file, 0, 8 * BLOCK);
        assertEquals(1, fixture.allBackingReads());
        assertEquals(1, fixture.count(Counter.CACHE_HITS));
    }

    @Test
    void aHitBetweenTwoMissesSplitsTheBackingRead() throws IOException {
        fixture.read(file, 2 * BLOCK, BLOCK);
        assertArrayEquals(bytes(1, 5 * BLOCK), fixture.read(file, 0, 5 * BLOCK));
        assertEquals(3, fixture.allBackingReads());
        assertEquals(1, fixture.count(Counter.CACHE_PARTIAL_HITS));
    }
}
