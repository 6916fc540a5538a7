package org.ssdcache.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.ssdcache.block.BlockGeometry;

class BlockIndexTest {
    /** Of each of two writers; enough for readers to meet every kind of change many times. */
    private static final int CHANGES = 500_000;

    private static final BlockGeometry GEOMETRY = new BlockGeometry(16 << 10);

    private static BlockIndex index(int slots) {
        return new BlockIndex(slots, GEOMETRY);
    }

    @Test
    void aSlotGoesFromFreeOverTakenToMappedAndBack() {
        BlockIndex index = index(3);
        assertEquals(3, index.freeCount());
        int slot = index.takeFree();
        assertEquals(2, index.freeCount());
        assertEquals(BlockIndex.NONE, index.lookup(5, 6));
        assertTrue(index.insert(5, 6, slot, 0b0101, 0));
        assertEquals(slot, index.lookup(5, 6));
        assertEquals(slot, index.lookupLocked(5, 6));
        assertEquals(0b0101, index.validPages(slot));
        assertEquals(5, index.fileOf(slot));
        assertEquals(6, index.blockOf(slot));
        assertEquals(1, index.mappedCount());
        index.setPages(slot, 0b1111, 0);
        assertEquals(0b1111, index.validPages(slot));
        index.checkInvariants();
        assertTrue(index.remove(5, 6, slot));
        assertFalse(index.remove(5, 6, slot));
        assertEquals(BlockIndex.NONE, index.lookup(5, 6));
        assertEquals(BlockIndex.NONE, index.lookupLocked(5, 6));
        assertEquals(2, index.freeCount(), "a removed slot is not free yet");
        index.release(slot);
        assertEquals(3, index.freeCount());
        index.checkInvariants();
    }

    @Test
    void stampsEndWithTheMapping() {
        BlockIndex index = index(2);
        int slot = index.takeFree();
        assertTrue(index.insert(1, 2, slot, 1, 0));
        int stamp = index.stamp(slot, 1, 2);
        assertTrue(index.isCurrent(slot, stamp));
        assertFalse(index.isCurrent(slot, index.stamp(slot, 1, 3)), "another block's");
        index.setPages(slot, 3, 0);
        assertTrue(index.isCurrent(slot, stamp));
        assertTrue(index.remove(1, 2, slot));
        assertFalse(index.isCurrent(slot, stamp));
        assertFalse(index.isCurrent(slot, index.stamp(slot, 1, 2)));
        assertTrue(index.insert(1, 2, slot, 1, 0));
        assertFalse(index.isCurrent(slot, stamp), "mapped again is not mapped all the time");
    }

    @Test
    void aBlockIsMappedOnce() {
        BlockIndex index = index(2);
        int one = index.takeFree();
        int two = index.takeFree();
        assertEquals(BlockIndex.NONE, index.takeFree());
        assertTrue(index.insert(1, 1, one, 1, 0));
        assertFalse(index.insert(1, 1, two, 1, 0));
        assertFalse(index.remove(1, 1, two));
        index.release(two);
        index.checkInvariants();
    }

    @Test
    void aSlotIsOwnedOnce() {
        BlockIndex index = index(2);
        int slot = index.takeFree();
        index.release(slot);
        assertThrows(IllegalStateException.class, () -> index.release(slot));
        assertThrows(IllegalStateException.class, () -> index.insert(1, 1, slot, 1, 0));
        int again = index.takeFree();
        assertTrue(index.insert(1, 1, again, 1, 0));
        assertThrows(IllegalStateException.class, () -> index.release(again));
        assertThrows(IllegalStateException.class, () -> index.insert(1, 2, again, 1, 0));
    }

    @Test
    void restoredSlotsAreNotFree() {
        BlockIndex index = index(10);
        assertTrue(index.restore(1, 1, 4, 1, 0));
        assertTrue(index.restore(1, 2, 0, 1, 0));
        assertFalse(index.restore(1, 3, 4, 1, 0), "the slot has a block");
        assertFalse(index.restore(1, 1, 5, 1, 0), "the block has a slot");
        assertEquals(8, index.freeCount());
        index.checkInvariants();
        List<Integer> free = new ArrayList<>();
        for (int s = index.takeFree(); s != BlockIndex.NONE; s = index.takeFree()) {
            free.add(s);
        }
        assertEquals(List.of(1, 2, 3, 5, 6, 7, 8, 9), free, "in the order of the file");
    }

    @Test
    void randomChangesAgreeWithAMap() {
        long seed = 42;
        Random random = new Random(seed);
        BlockIndex index = index(300);
        Map<Long, Integer> model = new HashMap<>();
        for (int i = 0; i < 50_000; i++) {
            int file = random.nextInt(5);
            int block = random.nextInt(100);
            long key = ((long) file << 32) | block;
            int slot = index.lookup(file, block);
            assertEquals(model.getOrDefault(key, BlockIndex.NONE), slot, "seed " + seed);
            if (slot != BlockIndex.NONE && random.nextInt(3) > 0) {
                assertTrue(index.remove(file, block, slot));
                index.release(slot);
                model.remove(key);
            } else if (slot == BlockIndex.NONE) {
                int taken = index.takeFree();
                if (taken != BlockIndex.NONE) {
                    assertTrue(index.insert(file, block, taken, 1, 0));
                    model.put(key, taken);
                }
            }
        }
        assertEquals(model.size(), index.mappedCount());
        index.checkInvariants();
    }

    /**
     * Writers keep moving blocks between slots, each time writing to the slot's content which block
     * it is of. A reader whose stamp is current must have seen its block's content only.
     */
    @Test
    void readersNeverBelieveAnotherBlocksBytes() throws Exception {
        int slots = 64;
        int blocks = 96;
        BlockIndex index = index(slots);
        AtomicIntegerArray content = new AtomicIntegerArray(2 * slots);
        Object[] blockLocks = new Object[blocks];
        for (int b = 0; b < blocks; b++) {
            blockLocks[b] = new Object();
        }
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong hits = new AtomicLong();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> writers = new ArrayList<>();
        List<Thread> readers = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            long seed = 100L + t;
            writers.add(worker(failure, stop, () -> churn(index, content, blockLocks, seed, stop)));
            readers.add(worker(failure, stop, () -> readAll(index, content, blocks, hits, stop)));
        }
        for (Thread writer : writers) {
            writer.join();
        }
        stop.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        assertEquals(null, failure.get());
        assertTrue(hits.get() > 1000, "hits " + hits);
        index.checkInvariants();
    }

    private static Thread worker(
            AtomicReference<Throwable> failure, AtomicBoolean stop, Runnable work) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                work.run();
                            } catch (Throwable e) {
                                failure.set(e);
                                stop.set(true);
                            }
                        });
        thread.start();
        return thread;
    }

    private static void churn(
            BlockIndex index,
            AtomicIntegerArray content,
            Object[] blockLocks,
            long seed,
            AtomicBoolean stop) {
        Random random = new Random(seed);
        for (int i = 0; i < CHANGES && !stop.get(); i++) {
            int block = random.nextInt(blockLocks.length);
            synchronized (blockLocks[block]) {
                int slot = index.lookupLocked(7, block);
                if (slot != BlockIndex.NONE) {
                    assertTrue(index.remove(7, block, slot), "seed " + seed);
                    index.release(slot);
                } else {
                    int taken = index.takeFree();
                    if (taken != BlockIndex.NONE) {
                        // In two halves, so that a mix would show.
                        content.setPlain(2 * taken, block);
                        content.setPlain(2 * taken + 1, block);
                        assertTrue(index.insert(7, block, taken, 1, 0), "seed " + seed);
                    }
                }
            }
        }
    }

    private static void readAll(
            BlockIndex index,
            AtomicIntegerArray content,
            int blocks,
            AtomicLong hits,
            AtomicBoolean stop) {
        for (int block = 0; !stop.get(); block = (block + 1) % blocks) {
            int slot = index.lookup(7, block);
            if (slot == BlockIndex.NONE) {
                continue;
            }
            int stamp = index.stamp(slot, 7, block);
            int first = content.getPlain(2 * slot);
            int second = content.getPlain(2 * slot + 1);
            if (index.isCurrent(slot, stamp)) {
                assertEquals(block, first);
                assertEquals(block, second);
                hits.incrementAndGet();
            }
        }
    }

    @Test
    void aLookupAllocatesNothing() {
        BlockIndex index = index(10_000);
        for (int i = 0; i < 10_000; i++) {
            assertTrue(index.restore(i % 7, i, i, 1, 0));
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long found = 0;
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 20_000; i++) {
                int slot = index.lookup(i % 7, i);
                if (slot != BlockIndex.NONE && index.isCurrent(slot, index.stamp(slot, i % 7, i))) {
                    found++;
                }
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(20 * 10_000, found);
        assertTrue(least < 1000, least + " bytes for 20,000 lookups");
    }
}
