package org.ssdcache.cleaner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.ssdcache.cache.BlockList;
import org.ssdcache.testing.FakeClock;
import org.ssdcache.testing.FakeDirtyBlocks;
import org.ssdcache.testing.FakeDirtyBlocks.Request;

final class CleanerTest {
    private static final int BLOCK = 16_384;
    private static final int SLOTS = 10_000;

    private final FakeClock clock = new FakeClock();
    private final FakeDirtyBlocks dirty = new FakeDirtyBlocks(clock, BLOCK, SLOTS);
    private final Cleaner cleaner = Cleaner.unstarted(dirty, CleanerSettings.DEFAULT, clock);

    private void seconds(double seconds) {
        clock.advanceNanos((long) (seconds * 1e9));
    }

    /** The cleaner's thread wakes up every second. */
    private void run(int seconds) {
        long end = clock.monotonicNanos() + TimeUnit.SECONDS.toNanos(seconds);
        while (clock.monotonicNanos() < end) {
            cleaner.step();
            seconds(1);
        }
    }

    /** Far from each other, so that each one is a request. */
    private void writeApart(int file, int firstBlock, int count) {
        for (int i = 0; i < count; i++) {
            dirty.write(file, firstBlock + i * 500);
        }
    }

    @Test
    void aBlockGoesHomeAfterTheDelay() {
        dirty.write(1, 1);
        run(29);
        assertTrue(dirty.isDirty(1, 1));
        run(2);
        assertFalse(dirty.isDirty(1, 1));
        assertTrue(dirty.isHome(1, 1));
    }

    @Test
    void theDelayAndTheSwitchTakeEffectWhileItRuns() {
        cleaner.setSettings(CleanerSettings.DEFAULT.withWritebackRunning(false));
        writeApart(1, 0, 3_000);
        run(100);
        assertEquals(3_000, dirty.dirtyCount());
        cleaner.setSettings(CleanerSettings.DEFAULT.withWritebackDelaySeconds(86_400));
        run(1);
        assertTrue(dirty.dirtyCount() <= 1_000 && dirty.dirtyCount() > 900);
        cleaner.setSettings(CleanerSettings.DEFAULT.withWritebackPercent(0));
        run(1);
        assertEquals(0, dirty.dirtyCount());
    }

    @Test
    void aShareOverThePercentGoesHomeWithoutDelayAndNoMore() {
        writeApart(1, 0, 1_500);
        cleaner.step();
        assertTrue(dirty.dirtyCount() <= 1_000);
        assertTrue(dirty.dirtyCount() > 800, "went on below the target");
    }

    @Test
    void theSweepGoesOnWhereItStopped() {
        writeApart(1, 0, 1_500);
        cleaner.step();
        int last = (int) (dirty.requests.get(dirty.requests.size() - 1).offsetBytes() / BLOCK);
        writeApart(1, 7, 500);
        dirty.requests.clear();
        cleaner.step();
        assertTrue(dirty.requests.get(0).offsetBytes() / BLOCK > last);
    }

    @Test
    void whileApplicationsReadTheRateIsTheControllers() {
        writeApart(1, 0, 1_400);
        List<Long> times = new ArrayList<>();
        dirty.foregroundReads = () -> (int) (dirty.foregroundReadCount++ & 0);
        dirty.foregroundReads();
        dirty.atRequest = () -> times.add(clock.monotonicNanos());
        long start = clock.monotonicNanos();
        run(20);
        long count = times.stream().filter(time -> time < start + 20_000_000_000L).count();
        // 400 over the target: the minimum of 8 a second at first, 400 / 40 and a bit later.
        assertTrue(count >= 20 * 8 && count <= 20 * 12, count + " requests");
    }

    @Test
    void readsGoFirst() {
        dirty.write(1, 1);
        seconds(31);
        long until = clock.monotonicNanos() + 300_000_000L;
        dirty.foregroundReads = () -> clock.monotonicNanos() < until ? 1 : 0;
        dirty.atRequest = () -> assertTrue(clock.monotonicNanos() >= until, "before the reads");
        cleaner.step();
        assertEquals(0, dirty.dirtyCount());
    }

    @Test
    void readsThatNeverEndHoldNothingUp() {
        dirty.write(1, 1);
        seconds(31);
        dirty.foregroundReads = () -> 1;
        long start = clock.monotonicNanos();
        cleaner.step();
        assertEquals(0, dirty.dirtyCount());
        assertTrue(clock.monotonicNanos() - start < 1_500_000_000L);
    }

    @Test
    void overTheHardShareNothingIsWaitedFor() {
        dirty.foregroundReads = () -> 3;
        writeApart(1, 0, 9_000);
        dirty.atRequest =
                () -> {
                    if (dirty.requests.size() == 500) {
                        cleaner.setSettings(CleanerSettings.DEFAULT.withWritebackRunning(false));
                    }
                };
        long start = clock.monotonicNanos();
        cleaner.step();
        long perRequest = (clock.monotonicNanos() - start) / dirty.requests.size();
        assertTrue(perRequest < 8_300_000, "took " + perRequest);
    }

    @Test
    void aFailingFileIsLeftAloneForAWhileAndOthersGoOn() {
        dirty.refusesSyncs.add(1);
        dirty.write(1, 1);
        dirty.write(2, 1);
        seconds(31);
        cleaner.step();
        assertTrue(dirty.isDirty(1, 1));
        assertFalse(dirty.isDirty(2, 1));
        assertEquals(1, cleaner.failures().failingFiles());
        assertTrue(cleaner.lastError(file -> true).orElseThrow().contains("the disk cannot sync"));
        int tries = dirty.takes;
        run(600);
        // After 1, 2, 4 ... 256 seconds and then every 300.
        assertTrue(Math.abs(dirty.takes - tries - 9) <= 1, dirty.takes - tries + " tries");
        dirty.refusesSyncs.clear();
        run(301);
        assertFalse(dirty.isDirty(1, 1));
        assertEquals(0, cleaner.failures().failingFiles());
        assertTrue(cleaner.lastError(file -> true).isEmpty());
    }

    @Test
    void aBadSpotHoldsNothingElseOfItsFileUp() {
        dirty.badSpots.add(BlockList.key(1, 700));
        for (int block = 0; block < 2_000; block++) {
            dirty.write(1, block);
        }
        writeApart(1, 100_000, 300);
        run(31);
        assertTrue(dirty.dirtyCount() < 2_000, "what lies behind the batch goes home at once");
        run(20);
        assertEquals(1, dirty.dirtyCount());
        assertTrue(dirty.isDirty(1, 700));
        assertEquals(1, cleaner.failures().refusedBlocks());
        assertTrue(cleaner.lastError(file -> true).orElseThrow().contains("the disk cannot sync"));
        assertTrue(cleaner.lastError(file -> file == 2).isEmpty());
        dirty.write(1, 699);
        dirty.write(1, 701);
        run(32);
        assertEquals(1, dirty.dirtyCount(), "its neighbours do not fail with it");
        dirty.badSpots.clear();
        run(301);
        assertEquals(0, dirty.dirtyCount());
        assertTrue(cleaner.failures().isEmpty());
    }

    @Test
    void goodBlocksBetweenManyBadOnesGoHome() {
        for (int block = 0; block < 3_000; block++) {
            dirty.write(1, block);
            if (block % 100 < 2) {
                dirty.badSpots.add(BlockList.key(1, block));
            }
        }
        run(600);
        assertEquals(60, dirty.dirtyCount());
        for (int block = 0; block < 50; block++) {
            dirty.write(1, 10_000 + block);
        }
        run(331);
        assertEquals(60, dirty.dirtyCount());
    }

    @Test
    void aFileOfWhichNothingGoesHomeIsLeftAloneAsAWhole() {
        dirty.refusesSyncs.add(1);
        writeApart(1, 0, 1_000);
        dirty.write(2, 1);
        seconds(31);
        cleaner.step();
        assertTrue(dirty.takes < 1_000, dirty.takes + " blocks were tried");
        assertFalse(dirty.isDirty(2, 1));
        int tries = dirty.takes;
        cleaner.step();
        assertEquals(tries, dirty.takes);
        dirty.refusesSyncs.clear();
        run(3);
        assertEquals(0, dirty.dirtyCount());
    }

    @Test
    void aFileThatCannotBeOpenedIsTriedOnce() {
        dirty.refusesOpen.add(1);
        writeApart(1, 0, 1_000);
        seconds(31);
        cleaner.step();
        assertEquals(1, dirty.opens);
        assertEquals(1, cleaner.failures().failingFiles());
        dirty.refusesOpen.clear();
        run(2);
        assertEquals(0, dirty.dirtyCount());
    }

    @Test
    void failingBlocksAreNotRememberedWithoutBound() {
        cleaner.setSettings(CleanerSettings.DEFAULT.withWritebackDelaySeconds(0));
        for (int file = 0; file < 10; file++) {
            dirty.refusesSyncs.add(file);
            for (int block = 0; block < 3_000; block++) {
                dirty.write(file, block);
            }
        }
        run(100);
        assertTrue(cleaner.failures().refusedBlocks() <= Failures.MAX_FAILING_BLOCKS);
        assertEquals(10, cleaner.failures().failingFiles());
        dirty.refusesSyncs.clear();
        run(600);
        assertEquals(0, dirty.dirtyCount());
        assertTrue(cleaner.failures().isEmpty());
    }

    @Test
    void aFailureIsForgottenWithItsBlocks() {
        dirty.refusesSyncs.add(1);
        dirty.write(1, 1);
        writeApart(2, 0, 10);
        run(32);
        assertEquals(1, cleaner.failures().failingFiles());
        dirty.drop(1, 1);
        dirty.write(2, 1);
        run(20);
        assertEquals(0, cleaner.failures().failingFiles());
        assertTrue(cleaner.lastError(file -> true).isEmpty());
    }

    @Test
    void aBlockThatCannotBeReadHoldsNoOtherBlockUp() {
        dirty.unreadable.add(BlockList.key(1, 1));
        dirty.write(1, 1);
        dirty.write(1, 2);
        run(33);
        assertFalse(dirty.isDirty(1, 2));
        assertEquals(1, cleaner.failures().unreadableBlocks());
        assertEquals(0, cleaner.failures().failingFiles());
        dirty.write(1, 3);
        run(33);
        assertFalse(dirty.isDirty(1, 3));
        assertTrue(
                cleaner.lastError(file -> true).orElseThrow().contains("the SSD cannot be read"));
        dirty.unreadable.clear();
        run(301);
        assertEquals(0, dirty.dirtyCount());
        assertEquals(0, cleaner.failures().unreadableBlocks());
    }

    @Test
    void cleanNowCleansJustTheRange() throws IOException {
        for (int block = 0; block < 10; block++) {
            dirty.write(1, block);
        }
        cleaner.cleanNow(1, 3, 5);
        assertEquals(List.of(new Request(1, 3 * BLOCK, 3 * BLOCK)), dirty.requests);
        cleaner.cleanNow(1, 6, Integer.MAX_VALUE);
        assertEquals(3, dirty.dirtyCount());
        cleaner.cleanNow(2, 0, Integer.MAX_VALUE);
    }

    @Test
    void cleanNowTellsWhatFailed() {
        dirty.write(1, 1);
        dirty.refusesWrites.add(1);
        assertThrows(IOException.class, () -> cleaner.cleanNow(1, 0, 5));
        dirty.refusesWrites.clear();
        dirty.unreadable.add(BlockList.key(1, 1));
        assertThrows(CleaningException.class, () -> cleaner.cleanNow(1, 0, 5));
        assertTrue(dirty.isDirty(1, 1));
    }

    @Test
    void aWriterThatWaitsDoesNotWaitForTheWholeBatch() throws Exception {
        writeApart(1, 0, 50);
        dirty.write(2, 1);
        seconds(31);
        AtomicReference<Thread> writer = new AtomicReference<>();
        AtomicReference<Exception> failure = new AtomicReference<>();
        dirty.atRequest =
                () -> {
                    if (writer.get() == null) {
                        writer.set(new Thread(() -> cleanNow(2, failure)));
                        writer.get().start();
                        awaitTrue(cleaner::isLaneWaitedFor);
                    }
                };
        cleaner.step();
        writer.get().join();
        assertNull(failure.get());
        // The block taken next before the wish was seen still goes home with the first batch.
        assertEquals(2, dirty.requests.get(2).file());
        assertEquals(0, dirty.dirtyCount());
    }

    private void cleanNow(int file, AtomicReference<Exception> failure) {
        try {
            cleaner.cleanNow(file, 0, 10);
        } catch (IOException | RuntimeException e) {
            failure.set(e);
        }
    }

    private static void awaitTrue(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertTrue(condition.getAsBoolean());
    }

    @Test
    void whatIsListedButNotDirtyKeepsNobodyBusy() {
        dirty.gone.add(1);
        writeApart(1, 0, 1_500);
        cleaner.step();
        assertEquals(1_500, dirty.dirtyCount());
        cleaner.drain();
        cleaner.step();
        assertTrue(cleaner.isDraining());
    }

    @Test
    void aDrainEndsWithNothingDirtyAlsoWhenWritebackIsOff() {
        cleaner.setSettings(CleanerSettings.DEFAULT.withWritebackRunning(false));
        writeApart(1, 0, 100);
        dirty.refusesWrites.add(1);
        writeApart(2, 0, 100);
        cleaner.drain();
        run(10);
        assertTrue(cleaner.isDraining());
        assertEquals(100, cleaner.remainingBlocks());
        dirty.refusesWrites.clear();
        run(20);
        assertEquals(0, cleaner.remainingBlocks());
        assertFalse(cleaner.isDraining());
    }

    @Test
    void aBlockWrittenAllTheTimeIsNotCleanedAllTheTime() {
        dirty.write(1, 1);
        dirty.atRequest = () -> dirty.write(1, 1);
        run(31);
        dirty.requests.clear();
        run(60);
        assertTrue(dirty.requests.size() <= 60, dirty.requests.size() + " requests");
    }

    @Test
    void theRateIsOfTheLastSeconds() {
        assertEquals(0, cleaner.writebackRateBytesPerSecond());
        writeApart(1, 0, 50);
        seconds(31);
        cleaner.step();
        assertEquals(5 * BLOCK, cleaner.writebackRateBytesPerSecond());
        seconds(11);
        assertEquals(0, cleaner.writebackRateBytesPerSecond());
    }

    @Test
    void settingsHaveRanges() {
        CleanerSettings settings = CleanerSettings.DEFAULT;
        assertThrows(IllegalArgumentException.class, () -> settings.withWritebackPercent(41));
        assertThrows(IllegalArgumentException.class, () -> settings.withWritebackPercent(-1));
        assertThrows(IllegalArgumentException.class, () -> settings.withWritebackDelaySeconds(-1));
        assertEquals(40, settings.withWritebackPercent(40).writebackPercent());
    }

    @Test
    void aStartedCleanerCleansOnItsOwnAndEnds() throws Exception {
        dirty.write(1, 1);
        CleanerSettings atOnce = new CleanerSettings(0, 0, true);
        Cleaner started = Cleaner.start(dirty, atOnce, clock, FileNames.NUMBERS);
        started.dirtied();
        started.setSettings(atOnce);
        synchronized (this) {
            for (int i = 0; i < 2_000 && dirty.dirtyCount() > 0; i++) {
                wait(5);
            }
        }
        started.close();
        assertEquals(0, dirty.dirtyCount());
    }
}
