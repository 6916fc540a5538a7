package org.ssdcache.cleaner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.ssdcache.cache.BlockList;
import org.ssdcache.testing.FakeClock;
import org.ssdcache.testing.FakeDirtyBlocks;

final class FlushTest {
    private static final int BLOCK = 16_384;
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);
    private static final FlushListener NOBODY = (done, total, doneBytes, totalBytes) -> true;

    private final FakeClock clock = new FakeClock();
    private final FakeDirtyBlocks dirty = new FakeDirtyBlocks(clock, BLOCK, 100_000);
    private final Cleaner cleaner = Cleaner.unstarted(dirty, CleanerSettings.DEFAULT, clock);
    private int written;

    @Test
    void nothingToDoIsDone() throws IOException {
        assertTrue(cleaner.flush(file -> true, HOUR, NOBODY));
    }

    @Test
    void onlyTheFilesAskedFor() throws IOException {
        dirty.write(1, 1);
        dirty.write(2, 1);
        assertTrue(cleaner.flush(file -> file == 2, HOUR, NOBODY));
        assertTrue(dirty.isDirty(1, 1));
        assertFalse(dirty.isDirty(2, 1));
    }

    @Test
    void endsWhileWritersGoOn() throws IOException {
        for (int block = 0; block < 1_000; block++) {
            dirty.write(1, block * 300);
        }
        dirty.atRequest =
                () -> {
                    // What was covered is written again, and new blocks before and behind.
                    dirty.write(1, written * 300 % 300_000);
                    dirty.write(1, written * 300 + 7);
                    dirty.write(2, written);
                    written++;
                };
        assertTrue(cleaner.flush(file -> true, HOUR, NOBODY));
        assertEquals(1_000, written, "each block goes home once");
        assertTrue(dirty.dirtyCount() > 0);
    }

    @Test
    void tellsHowFarItIsAndCanBeStoppedAndGoneOn() throws IOException {
        for (int block = 0; block < 1_000; block++) {
            dirty.write(1, block * 300);
        }
        List<Long> done = new ArrayList<>();
        FlushListener stopHalfway =
                (doneBlocks, totalBlocks, doneBytes, totalBytes) -> {
                    assertEquals(1_000, totalBlocks);
                    assertEquals(1_000L * BLOCK, totalBytes);
                    assertEquals(doneBlocks * BLOCK, doneBytes);
                    done.add(doneBlocks);
                    return doneBlocks < 500;
                };
        assertFalse(cleaner.flush(file -> true, HOUR, stopHalfway));
        assertTrue(done.size() > 3, "batches of about a second: " + done);
        assertEquals(0, done.get(0));
        int left = dirty.dirtyCount();
        assertTrue(left <= 500 && left > 300, "left " + left);
        dirty.requests.clear();
        assertTrue(cleaner.flush(file -> true, HOUR, NOBODY));
        assertEquals(left, dirty.requests.size());
        assertEquals(0, dirty.dirtyCount());
    }

    @Test
    void failingFilesAreTriedAsLongAsThereIsHope() {
        dirty.write(1, 1);
        dirty.write(2, 1);
        dirty.refusesWrites.add(1);
        long start = clock.monotonicNanos();
        long patience = TimeUnit.SECONDS.toNanos(60);
        CleaningException e =
                assertThrows(
                        CleaningException.class,
                        () -> cleaner.flush(file -> true, patience, NOBODY));
        // The first failure after file 2 came home is that of the second round.
        assertEquals(61, (clock.monotonicNanos() - start) / 1e9, 1);
        assertTrue(e.getMessage().contains("1 of 2 blocks"), e.getMessage());
        assertTrue(e.getMessage().contains("the disk refuses"), e.getMessage());
        assertFalse(dirty.isDirty(2, 1));
    }

    @Test
    void aSlowRefusalIsNotTheLastWord() {
        dirty.write(1, 1);
        dirty.refusesWrites.add(1);
        dirty.atRequest =
                () -> {
                    written++;
                    clock.advanceNanos(TimeUnit.SECONDS.toNanos(40));
                };
        assertThrows(CleaningException.class, () -> cleaner.flush(file -> true, PATIENCE, NOBODY));
        assertEquals(3, written, "tries");
    }

    @Test
    void theTimeOfASlowBatchBeforeTheFailureDoesNotCount() throws IOException {
        dirty.write(1, 1);
        dirty.write(2, 1);
        dirty.refusesWrites.add(2);
        dirty.atRequest =
                () -> {
                    written++;
                    if (written == 1) {
                        clock.advanceNanos(TimeUnit.SECONDS.toNanos(100));
                    } else if (written == 5) {
                        dirty.refusesWrites.clear();
                    }
                };
        assertTrue(cleaner.flush(file -> true, PATIENCE, NOBODY));
    }

    @Test
    void aRoundOfManySlowRefusalsEnds() {
        for (int file = 0; file < 1_000; file++) {
            dirty.write(file, 1);
            dirty.refusesWrites.add(file);
        }
        dirty.atRequest = () -> clock.advanceNanos(TimeUnit.SECONDS.toNanos(4));
        long start = clock.monotonicNanos();
        assertThrows(CleaningException.class, () -> cleaner.flush(file -> true, PATIENCE, NOBODY));
        long nanos = clock.monotonicNanos() - start;
        assertTrue(nanos >= 3 * PATIENCE && nanos < 4 * PATIENCE, "took " + nanos);
    }

    @Test
    void whatIsBehindSlowRefusalsComesFirstInTheNextRound() {
        for (int file = 0; file < 20; file++) {
            dirty.write(file, 1);
            dirty.refusesWrites.add(file);
        }
        dirty.write(100, 1);
        dirty.atRequest = () -> clock.advanceNanos(TimeUnit.SECONDS.toNanos(4));
        assertThrows(CleaningException.class, () -> cleaner.flush(file -> true, PATIENCE, NOBODY));
        assertTrue(dirty.isHome(100, 1));
    }

    @Test
    void aBlockThatComesHomeIsHope() throws IOException {
        for (int file = 1; file <= 4; file++) {
            dirty.write(file, 1);
            dirty.refusesWrites.add(file);
        }
        long start = clock.monotonicNanos();
        long patience = TimeUnit.SECONDS.toNanos(30);
        FlushListener repair =
                (doneBlocks, totalBlocks, doneBytes, totalBytes) -> {
                    long repaired = (clock.monotonicNanos() - start) / TimeUnit.SECONDS.toNanos(20);
                    for (int file = 1; file <= repaired; file++) {
                        dirty.refusesWrites.remove(file);
                    }
                    return true;
                };
        assertTrue(cleaner.flush(file -> true, patience, repair));
        assertTrue(clock.monotonicNanos() - start > 2 * patience);
    }

    @Test
    void aFailureThatPassesIsOnlyWaitedFor() throws IOException {
        dirty.write(1, 1);
        dirty.refusesSyncs.add(1);
        long end = clock.monotonicNanos() + TimeUnit.SECONDS.toNanos(20);
        FlushListener repair =
                (doneBlocks, totalBlocks, doneBytes, totalBytes) -> {
                    if (clock.monotonicNanos() > end) {
                        dirty.refusesSyncs.clear();
                    }
                    return true;
                };
        assertTrue(cleaner.flush(file -> true, Long.MAX_VALUE, repair));
        assertTrue(dirty.isHome(1, 1));
    }

    @Test
    void aBlockThatCannotBeReadIsNamed() {
        dirty.write(1, 1);
        dirty.write(1, 2);
        dirty.unreadable.add(BlockList.key(1, 1));
        CleaningException e =
                assertThrows(
                        CleaningException.class,
                        () -> cleaner.flush(file -> true, 5_000_000_000L, NOBODY));
        assertTrue(e.getMessage().contains("the SSD cannot be read"), e.getMessage());
        assertFalse(dirty.isDirty(1, 2));
    }

    @Test
    void aBadSpotKeepsNothingElseDirty() {
        for (int block = 0; block < 3_000; block++) {
            dirty.write(1, block);
        }
        for (int block = 500; block < 504; block++) {
            dirty.badSpots.add(BlockList.key(1, block));
        }
        long patience = TimeUnit.SECONDS.toNanos(30);
        CleaningException e =
                assertThrows(
                        CleaningException.class,
                        () -> cleaner.flush(file -> true, patience, NOBODY));
        assertTrue(e.getMessage().contains("4 of 3000 blocks"), e.getMessage());
        assertTrue(e.getMessage().contains("file 1: the disk cannot sync"), e.getMessage());
        assertEquals(4, dirty.dirtyCount());
    }

    @Test
    void slowIsNotFailed() throws IOException {
        for (int block = 0; block < 1_000; block++) {
            dirty.write(1, block * 300);
        }
        assertTrue(cleaner.flush(file -> true, 1, NOBODY));
        assertEquals(0, dirty.dirtyCount());
    }

    @Test
    void aClosedCleanerStopsIt() throws IOException {
        dirty.write(1, 1);
        dirty.refusesWrites.add(1);
        FlushListener close =
                (doneBlocks, totalBlocks, doneBytes, totalBytes) -> {
                    cleaner.close();
                    return true;
                };
        assertFalse(cleaner.flush(file -> true, HOUR, close));
    }
}
