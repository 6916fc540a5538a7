package org.ssdcache.cleaner;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.ssdcache.cache.BlockList;
import org.ssdcache.testing.FakeClock;
import org.ssdcache.testing.FakeDirtyBlocks;
import org.ssdcache.testing.FakeDirtyBlocks.Request;

final class CleanPassTest {
    private static final int BLOCK = 16_384;
    private static final BatchLimits NO_LIMITS = new BatchLimits(Integer.MAX_VALUE, Long.MAX_VALUE);

    private final FakeClock clock = new FakeClock();
    private final FakeDirtyBlocks dirty = new FakeDirtyBlocks(clock, BLOCK, 100_000);
    private final LaneTools tools = LaneTools.of(dirty, clock, FileNames.NUMBERS);

    private List<Batch> cleanAll(BatchLimits limits) throws IOException {
        List<Batch> batches = new ArrayList<>();
        CleanPass pass = new CleanPass(dirty.list(0), tools);
        while (!pass.isDone()) {
            batches.add(pass.nextBatch(limits, BatchGate.OPEN));
        }
        return batches;
    }

    @Test
    void goesHomeInTheOrderOfFilesAndOffsets() throws IOException {
        dirty.write(2, 7);
        dirty.write(1, 9000);
        dirty.write(1, 3);
        dirty.write(0, 5000);
        cleanAll(NO_LIMITS);
        assertEquals(
                List.of(
                        new Request(0, 5000L * BLOCK, BLOCK),
                        new Request(1, 3L * BLOCK, BLOCK),
                        new Request(1, 9000L * BLOCK, BLOCK),
                        new Request(2, 7L * BLOCK, BLOCK)),
                dirty.requests);
        assertEquals(3, dirty.syncs);
        assertEquals(0, dirty.dirtyCount());
    }

    @Test
    void neighboursAreOneWriteUpToTheWindow() throws IOException {
        for (int block = 10; block < 10 + 600; block++) {
            dirty.write(1, block);
        }
        List<Batch> batches = cleanAll(NO_LIMITS);
        assertEquals(
                List.of(
                        new Request(1, 10L * BLOCK, 4 << 20),
                        new Request(1, 10L * BLOCK + (4 << 20), 4 << 20),
                        new Request(1, 10L * BLOCK + (8 << 20), 600 * BLOCK - (8 << 20))),
                dirty.requests);
        assertEquals(600, batches.get(0).cleanedBlocks());
        assertEquals(1, dirty.syncs);
    }

    @Test
    void onlyDirtyPagesAreWrittenAndCleanValidOnesBetweenThem() throws IOException {
        dirty.cache(1, 0, 0b1111);
        dirty.write(1, 0, 0b1010);
        dirty.write(1, 1, 0b0001);
        dirty.write(1, 2, 0b1000);
        cleanAll(NO_LIMITS);
        assertEquals(
                List.of(new Request(1, 4096, BLOCK), new Request(1, 2 * BLOCK + 12_288, 4096)),
                dirty.requests);
    }

    @Test
    void aGapIsFilledJustWhenItPays() throws IOException {
        int widest = (int) (tools.model().widestGapBytes() / BLOCK);
        for (int block = 0; block < 200; block++) {
            dirty.cache(1, block);
            dirty.cache(2, block);
        }
        dirty.write(1, 0);
        dirty.write(1, widest + 1);
        dirty.write(2, 0);
        dirty.write(2, widest + 2);
        cleanAll(NO_LIMITS);
        assertEquals(
                List.of(
                        new Request(1, 0, (widest + 2) * BLOCK),
                        new Request(2, 0, BLOCK),
                        new Request(2, (widest + 2L) * BLOCK, BLOCK)),
                dirty.requests);
        assertEquals(0, dirty.dirtyCount());
    }

    /** Each could be joined with the one before, if there were not a gap that cannot be filled. */
    @Test
    void blocksThatAreNearButNotJoinedDoNotMakeABatchEndless() throws IOException {
        for (int block = 0; block < 4000; block += 10) {
            dirty.write(1, block);
        }
        long second = tools.model().estimateNanos(100, 100L * BLOCK);
        List<Batch> batches = cleanAll(new BatchLimits(Integer.MAX_VALUE, second));
        assertTrue(batches.size() >= 4, "only " + batches.size());
        for (Batch batch : batches) {
            assertTrue(batch.requests() <= 101, batch.requests() + " requests");
        }
        assertEquals(400, batches.stream().mapToInt(Batch::cleanedBlocks).sum());
    }

    @Test
    void aGapThatIsNotWhollyCachedIsNotFilled() throws IOException {
        for (int block = 0; block < 10; block++) {
            dirty.cache(1, block, block == 6 ? 0b0111 : 0b1111);
        }
        dirty.write(1, 1);
        dirty.write(1, 9);
        dirty.write(1, 12);
        cleanAll(NO_LIMITS);
        assertEquals(
                List.of(
                        new Request(1, BLOCK, BLOCK),
                        new Request(1, 9 * BLOCK, BLOCK),
                        new Request(1, 12 * BLOCK, BLOCK)),
                dirty.requests);
    }

    @Test
    void aGapBlockThatBecameDirtyGoesHomeToo() throws IOException {
        for (int block = 0; block < 10; block++) {
            dirty.cache(1, block, block == 6 ? 0b0111 : 0b1111);
        }
        dirty.write(1, 1);
        dirty.write(1, 9);
        BlockList list = dirty.list(0);
        dirty.write(1, 5);
        dirty.write(1, 6, 0b0010);
        new CleanPass(list, tools).nextBatch(NO_LIMITS, BatchGate.OPEN);
        assertEquals(0, dirty.dirtyCount());
        assertTrue(dirty.isHome(1, 5) && dirty.isHome(1, 6));
    }

    @Test
    void aBlockThatIsCleanByNowIsNeitherWrittenNorTakenTwice() throws IOException {
        for (int block = 0; block < 10; block++) {
            dirty.cache(1, block);
        }
        dirty.write(1, 1);
        dirty.write(1, 3);
        BlockList list =
                new BlockList(
                        new long[] {BlockList.key(1, 1), BlockList.key(1, 2), BlockList.key(1, 3)});
        new CleanPass(list, tools).nextBatch(NO_LIMITS, BatchGate.OPEN);
        assertEquals(
                List.of(new Request(1, BLOCK, BLOCK), new Request(1, 3 * BLOCK, BLOCK)),
                dirty.requests);
    }

    @Test
    void whatIsCleanAlreadyCostsNoSync() throws IOException {
        dirty.cache(1, 1);
        BlockList list = new BlockList(new long[] {BlockList.key(1, 1), BlockList.key(1, 2)});
        CleanPass pass = new CleanPass(list, tools);
        assertEquals(0, pass.nextBatch(NO_LIMITS, BatchGate.OPEN).requests());
        assertTrue(pass.isDone());
        assertEquals(0, dirty.syncs);
    }

    @Test
    void aBlockThatCannotBeReadStaysDirtyAndTheOthersGoHome() throws IOException {
        for (int block = 0; block < 5; block++) {
            dirty.write(1, block);
        }
        dirty.unreadable.add(BlockList.key(1, 2));
        Batch batch = cleanAll(NO_LIMITS).get(0);
        assertArrayEquals(new int[] {2}, batch.unreadable());
        assertEquals(4, batch.cleanedBlocks());
        assertTrue(dirty.isDirty(1, 2));
        assertEquals(1, dirty.dirtyCount());
    }

    @Test
    void nothingBecomesCleanWhenTheBackingRefuses() throws IOException {
        dirty.write(1, 1);
        dirty.write(1, 1000);
        dirty.write(2, 1);
        for (var refusing : List.of(dirty.refusesWrites, dirty.refusesSyncs)) {
            CleanPass pass = new CleanPass(dirty.list(0), tools);
            refusing.add(1);
            assertThrows(IOException.class, () -> pass.nextBatch(NO_LIMITS, BatchGate.OPEN));
            assertEquals(3, dirty.dirtyCount());
            assertEquals(2, pass.doneEntries());
            pass.nextBatch(NO_LIMITS, BatchGate.OPEN);
            assertTrue(pass.isDone());
            assertFalse(dirty.isDirty(2, 1));
            dirty.write(2, 1);
            refusing.clear();
        }
    }

    @Test
    void blocksOfAFileThatIsGoneAreGivenUp() throws IOException {
        dirty.write(1, 1);
        dirty.write(1, 2);
        dirty.write(2, 1);
        dirty.gone.add(1);
        List<Batch> batches = cleanAll(NO_LIMITS);
        assertEquals(2, batches.get(0).entries());
        assertEquals(List.of(new Request(2, BLOCK, BLOCK)), dirty.requests);
    }

    @Test
    void aBatchEndsAtItsLimits() throws IOException {
        for (int i = 0; i < 300; i++) {
            dirty.write(1, i * 1000);
        }
        for (Batch batch : cleanAll(new BatchLimits(Integer.MAX_VALUE, 100_000_000))) {
            assertTrue(batch.requests() <= 13, batch.toString());
        }
        for (int i = 0; i < 300; i++) {
            dirty.write(1, i * 1000);
        }
        for (Batch batch : cleanAll(new BatchLimits(7, Long.MAX_VALUE))) {
            assertTrue(batch.dirtyBlocks() <= 7, batch.toString());
        }
        assertEquals(0, dirty.dirtyCount());
    }

    @Test
    void aBlockWrittenMeanwhileStaysDirty() throws IOException {
        dirty.write(1, 1);
        dirty.write(1, 2);
        dirty.atRequest = () -> dirty.write(1, 2, 0b0100);
        Batch batch = cleanAll(NO_LIMITS).get(0);
        assertEquals(2, batch.dirtyBlocks());
        assertEquals(1, batch.cleanedBlocks());
        assertTrue(dirty.isDirty(1, 2));
    }

    @Test
    void randomWritesGoHomeInAFewLargeStreams() throws IOException {
        FakeDirtyBlocks small = new FakeDirtyBlocks(clock, 8_192, 65_536);
        for (int block = 0; block < 65_536; block++) {
            small.cache(1, block);
        }
        Random random = new Random(3);
        while (small.dirtyCount() < 8_192) {
            small.write(1, random.nextInt(65_536));
        }
        long start = clock.monotonicNanos();
        CleanPass pass =
                new CleanPass(small.list(0), LaneTools.of(small, clock, FileNames.NUMBERS));
        BatchLimits aSecond = new BatchLimits(Integer.MAX_VALUE, 1_000_000_000);
        while (!pass.isDone()) {
            pass.nextBatch(aSecond, BatchGate.OPEN);
        }
        assertEquals(0, small.dirtyCount());
        assertEquals(127, small.requests.size());
        double seconds = (clock.monotonicNanos() - start) / 1e9;
        assertTrue(seconds < 8_192 * 0.008 / 10, "took " + seconds);
    }

    /** The fake checks that nothing becomes clean unwritten and that no invalid page is written. */
    @Test
    void requestsAreAsFewAsTheGapsAllow() throws IOException {
        Random random = new Random(2);
        for (int round = 0; round < 300; round++) {
            int[] valid = new int[256];
            int[] written = new int[256];
            int share = 1 + random.nextInt(40);
            for (int block = 0; block < 256; block++) {
                if (random.nextInt(8) != 0) {
                    valid[block] = random.nextInt(10) == 0 ? random.nextInt(16) : 15;
                }
                if (random.nextInt(share) == 0) {
                    written[block] = 1 + random.nextInt(15);
                }
                valid[block] |= written[block];
                if (valid[block] != 0) {
                    dirty.cache(round, block, valid[block]);
                }
                if (written[block] != 0) {
                    dirty.write(round, block, written[block]);
                }
            }
            dirty.requests.clear();
            int expected = stretches(valid, written, tools.model().widestGapBytes());
            cleanAll(NO_LIMITS);
            assertEquals(expected, dirty.requests.size(), "round " + round);
            assertEquals(0, dirty.dirtyCount());
        }
    }

    /** How many writes are needed when gaps of valid pages up to a width are filled. */
    private static int stretches(int[] valid, int[] written, long widestGapBytes) {
        int count = 0;
        int end = Integer.MIN_VALUE / 2;
        boolean unbroken = false;
        for (int page = 0; page < valid.length * 4; page++) {
            if ((written[page / 4] >> page % 4 & 1) != 0) {
                boolean joins = unbroken && (long) (page - end) * 4096 <= widestGapBytes;
                count += joins ? 0 : 1;
                end = page + 1;
                unbroken = true;
            } else if ((valid[page / 4] >> page % 4 & 1) == 0) {
                unbroken = false;
            }
        }
        return count;
    }
}
