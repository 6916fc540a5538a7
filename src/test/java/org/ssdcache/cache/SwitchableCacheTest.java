package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.Errno;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;
import org.ssdcache.store.BlockStore;
import org.ssdcache.store.StoreGeometry;
import org.ssdcache.store.StoreIdentity;
import org.ssdcache.testing.FakeClock;
import org.ssdcache.testing.MemoryBlockFile;

class SwitchableCacheTest {
    private static final int BLOCK = 16384;
    private static final FileId ID = new FileId(0, 7, 1);

    @TempDir private Path directory;
    private final FakeClock clock = new FakeClock();
    private final TestBacking backing = new TestBacking(clock, 1);
    private final Counters counters = new Counters();
    private final Uncached uncached = new Uncached(counters);
    private int caches;

    /** A cache with a memory of its own. */
    private BlockCache newCache() throws IOException {
        MemoryBlockFile ssd = new MemoryBlockFile();
        StoreGeometry geometry = StoreGeometry.forSize(16 << 20, BLOCK);
        BlockStore.format(ssd, geometry, new StoreIdentity(1, 2), bytes -> {});
        Path index = Files.createDirectory(directory.resolve("c" + caches++)).resolve("index");
        BlockCache cache =
                new BlockCache(
                        BlockStore.open(ssd, "boot"),
                        index,
                        new BackingTree(backing::sync, BackingTree.Lock.NONE),
                        CacheMode.WRITETHROUGH,
                        counters,
                        clock);
        cache.setSequentialCutoffBytes(0);
        return cache;
    }

    private CachedFile open(FileCache cache) throws IOException {
        return cache.open(ID, FileLocator.NONE, backing, backing.facts(), backing::facts);
    }

    private static byte[] read(FileCache cache, CachedFile file, long offset, int length)
            throws IOException {
        byte[][] answer = new byte[1][];
        cache.read(
                file,
                offset,
                length,
                1,
                data -> {
                    answer[0] = new byte[data.remaining()];
                    data.get(answer[0]);
                });
        return answer[0];
    }

    private static void write(FileCache cache, CachedFile file, byte[] bytes, long offset)
            throws IOException {
        cache.write(file, ByteBuffer.allocateDirect(bytes.length).put(bytes).flip(), offset, 1);
    }

    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void anOpenFileGoesThroughEverySwitch() throws IOException {
        BlockCache first = newCache();
        SwitchableCache cache = new SwitchableCache(first);
        CachedFile file = open(cache);
        write(cache, file, bytes(3 * BLOCK, 1), 0);

        assertTrue(cache.switchTo(uncached, () -> true));
        first.close();
        assertArrayEquals(bytes(3 * BLOCK, 1), read(cache, file, 0, 3 * BLOCK));
        write(cache, file, bytes(BLOCK, 2), BLOCK);
        cache.truncate(file, 2 * BLOCK + 5);
        assertEquals(2 * BLOCK + 5, file.sizeBytes());

        BlockCache second = newCache();
        assertTrue(cache.switchTo(second, () -> true));
        assertEquals(2 * BLOCK + 5, file.sizeBytes());
        assertArrayEquals(bytes(BLOCK, 2), read(cache, file, BLOCK, BLOCK));
        long reads = backing.reads();
        assertArrayEquals(bytes(BLOCK, 2), read(cache, file, BLOCK, BLOCK));
        assertEquals(reads, backing.reads(), "the second cache has it now");
        assertTrue(cache.close(file, backing.facts()));
        second.close();
    }

    @Test
    void whatWasWrittenMeanwhileIsNeverServedOld() throws IOException {
        BlockCache first = newCache();
        SwitchableCache cache = new SwitchableCache(first);
        CachedFile file = open(cache);
        write(cache, file, bytes(2 * BLOCK, 1), 0);
        assertTrue(cache.switchTo(uncached, () -> true));
        write(cache, file, bytes(BLOCK, 2), 0);
        assertTrue(cache.switchTo(first, () -> true));
        assertArrayEquals(bytes(BLOCK, 2), read(cache, file, 0, BLOCK));
        assertTrue(cache.close(file, backing.facts()));
        first.close();
    }

    @Test
    void whatWasOnlyReadMeanwhileIsWarm() throws IOException {
        BlockCache first = newCache();
        SwitchableCache cache = new SwitchableCache(first);
        CachedFile file = open(cache);
        write(cache, file, bytes(2 * BLOCK, 1), 0);
        assertTrue(cache.switchTo(uncached, () -> true));
        long before = backing.reads();
        assertArrayEquals(bytes(BLOCK, 1), read(cache, file, 0, BLOCK));
        assertEquals(before + 1, backing.reads());
        assertTrue(cache.switchTo(first, () -> true));
        read(cache, file, 0, 2 * BLOCK);
        assertEquals(before + 1, backing.reads());
        assertTrue(cache.close(file, backing.facts()));
        first.close();
    }

    @Test
    void withoutACacheEveryRequestIsABypass() throws IOException {
        CachedFile file = open(uncached);
        write(uncached, file, bytes(100, 1), 0);
        assertArrayEquals(bytes(100, 1), read(uncached, file, 0, BLOCK));
        assertEquals(2, counters.total(Counter.BYPASSED_MODE));
        assertEquals(200, counters.total(Counter.BYPASSED_BYTES));
        assertFalse(uncached.holds(ID));
    }

    @Test
    void withoutACacheForeignChangesAreNoticedWhenTheFileIsOpenedAgain() throws IOException {
        CachedFile file = open(uncached);
        assertTrue(uncached.reopened(file, backing.facts()));
        backing.write(ByteBuffer.allocateDirect(10), 0);
        assertFalse(uncached.reopened(file, backing.facts()));
        assertEquals(10, file.sizeBytes());
        assertTrue(uncached.reopened(file, backing.facts()));
        write(uncached, file, bytes(20, 1), 0);
        assertTrue(uncached.reopened(file, backing.facts()), "its own change");
        uncached.flushed(file);
        backing.write(ByteBuffer.allocateDirect(30), 0);
        assertFalse(uncached.reopened(file, backing.facts()));
        assertTrue(uncached.close(file, backing.facts()));
    }

    @Test
    void withoutACacheAFailedWriteLeavesTheRightLength() throws IOException {
        CachedFile file = open(uncached);
        backing.disk().failNext(Errno.EIO);
        assertThrows(IOException.class, () -> write(uncached, file, bytes(BLOCK, 1), 0));
        assertEquals(backing.sizeBytes(), file.sizeBytes());
    }

    @Test
    void nothingIsSwitchedBeforeTheOldCacheIsReady() throws IOException {
        BlockCache first = newCache();
        SwitchableCache cache = new SwitchableCache(first);
        CachedFile file = open(cache);
        assertFalse(cache.switchTo(uncached, () -> false));
        write(cache, file, bytes(BLOCK, 1), 0);
        read(cache, file, 0, BLOCK);
        assertEquals(1, counters.total(Counter.CACHE_HITS), "the first one serves");
        assertTrue(cache.close(file, backing.facts()));
        first.close();
    }

    /** Readers and writers of one file each go on while the caches come and go under them. */
    @Test
    @Timeout(120)
    void requestsAreRightWhateverIsSwitched() throws Exception {
        SwitchableCache cache = new SwitchableCache(uncached);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        boolean[] stop = new boolean[1];
        for (int i = 0; i < 3; i++) {
            TestBacking own = new TestBacking(new FakeClock(), i);
            FileId id = new FileId(0, 100 + i, 1);
            CachedFile file = cache.open(id, FileLocator.NONE, own, own.facts(), own::facts);
            int seed = i;
            Thread thread = new Thread(() -> use(cache, file, seed, stop, failure));
            threads.add(thread);
            thread.start();
        }
        for (int round = 0; round < 20; round++) {
            BlockCache next = newCache();
            assertTrue(cache.switchTo(next, () -> true));
            assertTrue(cache.switchTo(uncached, () -> true));
            next.close();
        }
        synchronized (stop) {
            stop[0] = true;
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertNull(failure.get(), () -> failure.get().toString());
    }

    private static void use(
            FileCache cache,
            CachedFile file,
            int seed,
            boolean[] stop,
            AtomicReference<Throwable> failure) {
        Random random = new Random(seed);
        byte[] expected = new byte[8 * BLOCK];
        try {
            write(cache, file, expected, 0);
            while (!isSet(stop)) {
                int length = 1 + random.nextInt(2 * BLOCK);
                int offset = random.nextInt(expected.length - length);
                if (random.nextInt(3) == 0) {
                    byte[] data = bytes(length, random.nextInt());
                    System.arraycopy(data, 0, expected, offset, length);
                    write(cache, file, data, offset);
                } else {
                    byte[] wanted = Arrays.copyOfRange(expected, offset, offset + length);
                    assertArrayEquals(wanted, read(cache, file, offset, length));
                }
            }
        } catch (IOException | RuntimeException | AssertionError e) {
            failure.compareAndSet(null, e);
        }
    }

    private static boolean isSet(boolean[] flag) {
        synchronized (flag) {
            return flag[0];
        }
    }
}
