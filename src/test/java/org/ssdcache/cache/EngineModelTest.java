package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ssdcache.metrics.Counter;

/**
 * Random operations against a byte-array oracle, with a cache smaller than the data, so that blocks
 * are evicted all the time; with truncates, holes, mode switches, reopens, remounts, kills and
 * power cuts. A seed reproduces a run.
 */
final class EngineModelTest {
    private static final int FILES = 4;
    private static final int MAX_FILE_BYTES = 6 << 20;
    private static final int MAX_REQUEST_BYTES = 128 << 10;
    private static final int STEPS = 1500;

    @TempDir Path directory;

    private CacheFixture fixture;
    private FileOracle[] oracle;
    private Random random;
    private String run;

    /** {@code -Dssdcache.model.seeds=200 -Dssdcache.model.firstSeed=1000} runs other seeds. */
    static LongStream seeds() {
        long first = Long.getLong("ssdcache.model.firstSeed", 1);
        return LongStream.range(first, first + Long.getLong("ssdcache.model.seeds", 6));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyReadEqualsTheOracle(long seed) throws IOException {
        start(seed);
        for (int step = 0; step < STEPS; step++) {
            run = "seed " + seed + " step " + step;
            try {
                doOne(random.nextInt(100));
            } catch (IOException | RuntimeException | Error e) {
                throw new AssertionError(run, e);
            }
        }
        checkEverything();
        assertEquals(0, fixture.count(Counter.SSD_ERRORS), run);
    }

    private void start(long seed) throws IOException {
        random = new Random(seed);
        int[] blockSizes = {8 << 10, 16 << 10, 64 << 10, 128 << 10};
        int blockBytes = blockSizes[random.nextInt(blockSizes.length)];
        fixture = new CacheFixture(directory, 16 << 20, blockBytes, seed);
        oracle = new FileOracle[FILES];
        for (int file = 0; file < FILES; file++) {
            fixture.create();
            oracle[file] = new FileOracle();
        }
    }

    private void doOne(int choice) throws IOException {
        int file = random.nextInt(FILES);
        if (choice < 45) {
            read(file);
        } else if (choice < 78) {
            write(file);
        } else if (choice < 83) {
            truncate(file);
        } else if (choice < 88) {
            losePages(file);
        } else if (choice < 91) {
            CacheMode[] modes = CacheMode.values();
            fixture.cache.setMode(modes[random.nextInt(modes.length)]);
        } else if (choice < 94) {
            Housekeeping.Task[] tasks = Housekeeping.Task.values();
            fixture.cache.run(tasks[random.nextInt(tasks.length)]);
        } else if (choice < 95) {
            fixture.cleaning.cleanAll();
        } else if (choice < 96) {
            fixture.closeFile(file);
            fixture.openFile(file);
        } else if (choice < 97) {
            fixture.sync(file, random.nextBoolean());
            oracle[file].sync();
        } else if (choice < 98) {
            fixture.remount();
            fixture.cache.checkInvariants();
        } else if (choice < 99) {
            fixture.kill();
            fixture.cache.checkInvariants();
            adoptView(false);
        } else {
            fixture.cutPower();
            fixture.cache.checkInvariants();
            adoptView(true);
        }
    }

    private void read(int file) throws IOException {
        byte[] content = oracle[file].content();
        int offset = random.nextInt(content.length + 5000);
        int length = 1 + random.nextInt(MAX_REQUEST_BYTES);
        int end = Math.min(content.length, offset + length);
        byte[] expected = offset >= end ? new byte[0] : Arrays.copyOfRange(content, offset, end);
        assertArrayEquals(expected, fixture.read(file, offset, length), run + " file " + file);
    }

    private void write(int file) throws IOException {
        int length = 1 + random.nextInt(MAX_REQUEST_BYTES);
        int offset = random.nextInt(MAX_FILE_BYTES - length);
        if (random.nextInt(3) == 0) {
            offset = offset / 4096 * 4096;
            length = Math.max(4096, length / 4096 * 4096);
        }
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        fixture.write(file, bytes, offset);
        oracle[file].write(bytes, offset);
    }

    private void truncate(int file) throws IOException {
        int size = random.nextInt(MAX_FILE_BYTES);
        fixture.cache.truncate(fixture.open.get(file), size);
        oracle[file].truncate(size);
    }

    private void losePages(int file) throws IOException {
        int offset = random.nextInt(MAX_FILE_BYTES);
        int length = 1 + random.nextInt(1 << 20);
        boolean punch = random.nextBoolean();
        int mode = punch ? Resizing.PUNCH_HOLE | Resizing.KEEP_SIZE : Resizing.ZERO_RANGE;
        fixture.cache.allocate(fixture.open.get(file), mode, offset, length);
        int end = punch ? Math.min(oracle[file].size(), offset + length) : offset + length;
        oracle[file].zero(offset, end);
    }

    /** What was not synced may be there or not, but nothing else. */
    private void adoptView(boolean lastVersion) throws IOException {
        for (int file = 0; file < FILES; file++) {
            byte[] view = view(file);
            String fault = oracle[file].adopt(view, lastVersion);
            assertNull(fault, run + " file " + file);
        }
    }

    private byte[] view(int file) throws IOException {
        byte[] view = new byte[(int) fixture.open.get(file).sizeBytes()];
        for (int at = 0; at < view.length; at += MAX_REQUEST_BYTES) {
            byte[] part = fixture.read(file, at, MAX_REQUEST_BYTES);
            System.arraycopy(part, 0, view, at, part.length);
        }
        return view;
    }

    /** After everything was brought home the backing alone is what the cache shows (I3). */
    private void checkEverything() throws IOException {
        fixture.cleaning.cleanAll();
        fixture.cache.dirty().settle();
        for (int file = 0; file < FILES; file++) {
            String what = run + " file " + file;
            assertArrayEquals(oracle[file].content(), fixture.backings.get(file).content(), what);
            assertArrayEquals(oracle[file].content(), view(file), what);
        }
    }
}
