package org.ssdcache.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.ssdcache.store.StoreFixture.BOOT;
import static org.ssdcache.store.StoreFixture.NEXT_BOOT;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.store.StoreFixture.Contents;
import org.ssdcache.testing.FaultyBlockFile;
import org.ssdcache.testing.MemoryBlockFile;

/**
 * Runs a small writeback cache, ends it at each of its disk operations in turn, and compares what
 * is left with what may be there; then runs on with that, and ends it again.
 */
class WritebackCrashTest {
    private static final int STEPS = 90;
    private static final int EIO = 5;

    private static MemoryBlockFile formatted() throws IOException {
        MemoryBlockFile file = new MemoryBlockFile();
        BlockStore.format(file, WritebackModel.GEOMETRY, StoreFixture.ID, progress -> {});
        return file;
    }

    /** The end of a run: the power is cut, or the daemon is killed. */
    private enum End {
        POWER_CUT(NEXT_BOOT),
        KILL(BOOT);

        final String nextBoot;

        End(String nextBoot) {
            this.nextBoot = nextBoot;
        }

        MemoryBlockFile left(FaultyBlockFile disk) throws IOException {
            return this == POWER_CUT ? disk.crash() : disk.kill();
        }
    }

    /**
     * @return whether the run came to its end before the disk did
     */
    private static boolean run(
            FaultyBlockFile disk, WritebackModel model, String bootId, String where)
            throws IOException {
        try {
            BlockStore store = BlockStore.open(disk, bootId);
            model.run(store, STEPS);
            model.closeClean();
            return true;
        } catch (IOException e) {
            assertTrue(disk.isPowerGone(), () -> where + ": " + e);
            return false;
        }
    }

    private static void endAtEveryOperation(End end, long seed, boolean partialCleans)
            throws IOException {
        MemoryBlockFile formatted = formatted();
        boolean complete = false;
        for (long n = 1; !complete; n++) {
            String where = end + ", seed " + seed + " operation " + n;
            FaultyBlockFile disk = new FaultyBlockFile(formatted.copy(), seed * 1000 + n);
            disk.cutPowerAt(n);
            WritebackModel model = new WritebackModel(seed, partialCleans);
            complete = run(disk, model, BOOT, where);
            FaultyBlockFile second = new FaultyBlockFile(end.left(disk), seed * 2000 + n);
            BlockStore store = BlockStore.open(second, end.nextBoot);
            model.recovered(store, where);
            second.cutPowerAt(second.operations() + 1 + n % 97);
            try {
                model.run(store, STEPS);
            } catch (IOException e) {
                assertTrue(second.isPowerGone(), where + ": " + e);
            }
            MemoryBlockFile left = end.left(second);
            store.close();
            try (BlockStore third =
                    BlockStore.open(left, end.nextBoot + (end == End.KILL ? "" : "3"))) {
                model.recovered(third, where + ", and again");
            }
            if (complete) {
                int[] paths = model.paths();
                assertTrue(n > 100 && paths[0] > 5 && paths[1] > 5, where + " tests too little");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void powerCutAtEveryOperation(long seed) throws IOException {
        endAtEveryOperation(End.POWER_CUT, seed, seed == 3);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void killAtEveryOperation(long seed) throws IOException {
        endAtEveryOperation(End.KILL, seed, seed == 13);
    }

    /** The replay is cut again and again, and in the end finds what an uncut replay finds. */
    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24})
    void powerCutAtEveryOperationOfTheReplay(long seed) throws IOException {
        FaultyBlockFile disk = new FaultyBlockFile(formatted(), seed);
        WritebackModel model = new WritebackModel(seed, seed % 2 == 0);
        BlockStore store = BlockStore.open(disk, BOOT);
        model.run(store, STEPS);
        store.writeJournal();
        MemoryBlockFile left = disk.crash();
        store.close();
        for (String bootId : List.of(BOOT, NEXT_BOOT)) {
            Contents expected;
            try (BlockStore uncut = BlockStore.open(left.copy(), bootId)) {
                expected = Contents.of(uncut);
            }
            MemoryBlockFile again = left.copy();
            boolean complete = false;
            for (long n = 1; !complete; n++) {
                FaultyBlockFile replayed = new FaultyBlockFile(again, seed * 1000 + n);
                replayed.cutPowerAt(n);
                try (BlockStore opened = BlockStore.open(replayed, bootId)) {
                    Contents found = Contents.of(opened);
                    assertEquals(expected.slots, found.slots, "seed " + seed);
                    assertEquals(expected.pending, found.pending, "seed " + seed);
                    assertEquals(expected.files, found.files, "seed " + seed);
                    complete = true;
                } catch (IOException e) {
                    assertTrue(replayed.isPowerGone(), "seed " + seed + ": " + e);
                }
                again = replayed.crash();
            }
        }
    }

    @Test
    void everyOperationFailsOnce() throws IOException {
        long seed = 31;
        MemoryBlockFile formatted = formatted();
        boolean failed = true;
        for (long n = 1; failed; n++) {
            FaultyBlockFile disk = new FaultyBlockFile(formatted.copy(), seed * 1000 + n);
            disk.failOperation(n, EIO);
            WritebackModel model = new WritebackModel(seed, false);
            failed = false;
            try {
                model.run(BlockStore.open(disk, BOOT), STEPS);
                model.closeClean();
            } catch (IOException e) {
                failed = true;
            }
            try (BlockStore opened = BlockStore.open(disk.crash(), NEXT_BOOT)) {
                model.recovered(opened, "failing operation " + n + ", seed " + seed);
            }
            assertTrue(failed || disk.operations() < n, "nobody noticed that " + n + " failed");
        }
    }
}
