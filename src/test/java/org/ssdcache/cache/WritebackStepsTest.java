package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One scenario of everything that mode writeback does, ended at every single operation of either
 * disk, by a power cut or by a kill; and ended once more during the recovery.
 *
 * <p>{@code -Dssdcache.steps.every=1} ends it at every operation, n at every n-th.
 */
final class WritebackStepsTest {
    private static final int PAGE = 4096;
    private static final int HALF = 8 << 10;
    private static final int BLOCK = 16 << 10;
    private static final int FILES = 3;

    /** Gets nothing but aligned writes of half a block, each of one value, in mode writeback. */
    private static final int ATOMIC = 1;

    private enum End {
        POWER_CUT,
        KILL
    }

    /** A step of the scenario. */
    private interface Step {
        void run() throws IOException;
    }

    @TempDir Path directory;

    private CacheFixture fixture;
    private FileOracle[] oracle;
    private int value;

    @ParameterizedTest
    @EnumSource(End.class)
    void nothingIsLostWhereverItEnds(End end) throws IOException {
        int every = Integer.getInteger("ssdcache.steps.every", 5);
        begin(0);
        runSteps();
        long operations = fixture.power.operations();
        assertTrue(operations > 200, "only " + operations + " operations");
        for (long at = 1; at <= operations; at += every) {
            String what = end + " at operation " + at + " of " + operations;
            begin(at);
            fixture.power.endAfter(at);
            try {
                runSteps();
            } catch (IOException e) {
                assertTrue(fixture.power.isGone(), what + ": " + e);
            }
            recover(end, at, what);
        }
    }

    private void begin(long seed) throws IOException {
        Path own = Files.createDirectories(directory.resolve("run" + seed));
        fixture = new CacheFixture(own, 4 << 20, BLOCK, seed);
        oracle = new FileOracle[FILES];
        value = 0;
        for (int file = 0; file < FILES; file++) {
            fixture.create();
            oracle[file] = new FileOracle();
        }
        fixture.cache.setMode(CacheMode.WRITEBACK);
        fixture.power.restore();
    }

    private void runSteps() throws IOException {
        for (Step step : steps()) {
            step.run();
        }
    }

    private List<Step> steps() {
        return List.of(
                () -> write(0, 0, 5 * BLOCK),
                () -> half(0, 1, 2, 3, 4, 5),
                () -> sync(0),
                () -> sync(ATOMIC),
                // After a sync blocks move; before the next one they are written in place.
                () -> write(0, BLOCK, PAGE),
                () -> write(0, BLOCK, PAGE),
                () -> half(0, 1, 3),
                () -> half(0, 3, 5),
                () -> write(0, 2 * BLOCK + 100, 300),
                () -> write(0, 3 * BLOCK - 50, 100),
                () -> write(0, 4 * BLOCK + 10, 3 * BLOCK),
                () -> sync(0),
                this::clean,
                () -> write(0, 100, 200),
                () -> half(1, 2),
                () -> truncate(0, 2 * BLOCK + 1000),
                () -> truncate(0, 6 * BLOCK),
                () -> sync(0),
                () -> write(2, 10 * BLOCK, 5000),
                () -> punch(0, BLOCK + 100, BLOCK),
                () -> fixture.cache.run(Housekeeping.Task.CHECKPOINT),
                () -> sync(ATOMIC),
                () -> half(0, 5),
                this::clean,
                () -> fixture.cache.dirty().settle(),
                this::unmountDirtyAndMount,
                () -> write(0, 5 * BLOCK, 2 * BLOCK),
                () -> half(0, 1, 4),
                () -> sync(0),
                () -> fixture.cache.setMode(CacheMode.WRITETHROUGH),
                () -> write(0, 5 * BLOCK + 1000, 3 * BLOCK),
                () -> sync(0),
                () -> fixture.cache.run(Housekeeping.Task.END_INTERVAL),
                () -> fixture.cache.setMode(CacheMode.WRITEBACK),
                () -> write(0, 5 * BLOCK + 500, 1000),
                () -> truncate(0, 5 * BLOCK + 700),
                () -> write(2, 0, 100),
                () -> sync(2),
                () -> fixture.cache.run(Housekeeping.Task.EVICT),
                () -> fixture.cache.run(Housekeeping.Task.CHECKPOINT),
                this::clean,
                () -> fixture.cache.dirty().settle(),
                () -> half(2, 3),
                () -> sync(ATOMIC));
    }

    private byte[] next(int length) {
        value++;
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    /** The oracle hears of a change first: when the machine ends during it, it may be half made. */
    private void write(int file, int offset, int length) throws IOException {
        byte[] bytes = next(length);
        oracle[file].write(bytes, offset);
        fixture.write(file, bytes, offset);
    }

    private void half(int... halves) throws IOException {
        for (int half : halves) {
            write(ATOMIC, half * HALF, HALF);
        }
    }

    private void truncate(int file, int size) throws IOException {
        oracle[file].truncate(size);
        fixture.cache.truncate(fixture.open.get(file), size);
    }

    private void punch(int file, int offset, int length) throws IOException {
        oracle[file].zero(offset, Math.min(oracle[file].size(), offset + length));
        int mode = Resizing.PUNCH_HOLE | Resizing.KEEP_SIZE;
        fixture.cache.allocate(fixture.open.get(file), mode, offset, length);
    }

    private void sync(int file) throws IOException {
        fixture.sync(file);
        oracle[file].sync();
    }

    private void clean() throws IOException {
        fixture.cleaning.cleanAll();
    }

    private void unmountDirtyAndMount() throws IOException {
        write(2, 3 * BLOCK, 3000);
        half(2, 4);
        fixture.remount();
        fixture.cache.setMode(CacheMode.WRITEBACK);
        assertTrue(fixture.lock.locked);
    }

    private void recover(End end, long at, String what) throws IOException {
        // Ended again after a while, which may be behind the end of the recovery.
        fixture.power.restore();
        crash(end);
        fixture.power.endAfter(1 + at % 13);
        try {
            fixture.restart();
        } catch (IOException e) {
            assertTrue(fixture.power.isGone(), what + ": " + e);
        }
        fixture.power.restore();
        crash(end);
        fixture.restart();
        fixture.cache.checkInvariants();
        for (int file = 0; file < FILES; file++) {
            byte[] view = fixture.read(file, 0, (int) fixture.open.get(file).sizeBytes());
            String name = what + ", file " + file;
            assertNull(oracle[file].adopt(view, true), name);
            if (file == ATOMIC) {
                assertHalvesAreWhole(view, name);
            }
        }
        fixture.cleaning.cleanAll();
        fixture.cache.dirty().settle();
        assertEquals(0, fixture.cache.dirty().usage().dirtyBlocks(), what);
        for (int file = 0; file < FILES; file++) {
            String name = what + ", file " + file + " on the backing";
            assertArrayEquals(oracle[file].content(), fixture.backings.get(file).content(), name);
        }
        fixture.unmount();
    }

    private void crash(End end) throws IOException {
        if (end == End.POWER_CUT) {
            fixture.losePower();
        } else {
            fixture.endDaemon();
        }
    }

    private static void assertHalvesAreWhole(byte[] view, String name) {
        for (int at = 0; at < view.length; at += HALF) {
            for (int i = at; i < Math.min(view.length, at + HALF); i++) {
                assertEquals(view[at], view[i], name + " is torn at " + i);
            }
        }
    }
}
