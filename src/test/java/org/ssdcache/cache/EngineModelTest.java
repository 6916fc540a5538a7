package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

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
    private byte[][] oracle;
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
        oracle = new byte[FILES][0];
        for (int file = 0; file < FILES; file++) {
            fixture.create();
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
            BlockCache.Maintenance[] tasks = BlockCache.Maintenance.values();
            fixture.cache.run(tasks[random.nextInt(tasks.length)]);
        } else if (choice < 96) {
            fixture.closeFile(file);
            fixture.openFile(file);
        } else if (choice < 97) {
            fixture.cache.sync(fixture.open.get(file), random.nextBoolean());
        } else if (choice < 98) {
            fixture.remount();
            fixture.cache.checkInvariants();
        } else if (choice < 99) {
            fixture.kill();
            fixture.cache.checkInvariants();
        } else {
            fixture.cutPower();
            fixture.cache.checkInvariants();
            adoptBacking();
        }
    }

    private void read(int file) throws IOException {
        int offset = random.nextInt(oracle[file].length + 5000);
        int length = 1 + random.nextInt(MAX_REQUEST_BYTES);
        int end = Math.min(oracle[file].length, offset + length);
        byte[] expected =
                offset >= end ? new byte[0] : Arrays.copyOfRange(oracle[file], offset, end);
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
        if (oracle[file].length < offset + length) {
            oracle[file] = Arrays.copyOf(oracle[file], offset + length);
        }
        System.arraycopy(bytes, 0, oracle[file], offset, length);
    }

    private void truncate(int file) throws IOException {
        int size = random.nextInt(MAX_FILE_BYTES);
        fixture.cache.truncate(fixture.open.get(file), size);
        oracle[file] = Arrays.copyOf(oracle[file], size);
    }

    private void losePages(int file) throws IOException {
        int offset = random.nextInt(MAX_FILE_BYTES);
        int length = 1 + random.nextInt(1 << 20);
        boolean punch = random.nextBoolean();
        int mode = punch ? Resizing.PUNCH_HOLE | Resizing.KEEP_SIZE : Resizing.ZERO_RANGE;
        fixture.cache.allocate(fixture.open.get(file), mode, offset, length);
        if (!punch && oracle[file].length < offset + length) {
            oracle[file] = Arrays.copyOf(oracle[file], offset + length);
        }
        int end = Math.min(oracle[file].length, offset + length);
        if (offset < end) {
            Arrays.fill(oracle[file], offset, end, (byte) 0);
        }
    }

    /** After a power cut the backing is the truth, whatever it kept of the last writes. */
    private void adoptBacking() throws IOException {
        for (int file = 0; file < FILES; file++) {
            oracle[file] = fixture.backings.get(file).content();
        }
        checkEverything();
    }

    private void checkEverything() throws IOException {
        for (int file = 0; file < FILES; file++) {
            String what = run + " file " + file;
            assertArrayEquals(oracle[file], fixture.backings.get(file).content(), what);
            for (int at = 0; at < oracle[file].length; at += MAX_REQUEST_BYTES) {
                int end = Math.min(oracle[file].length, at + MAX_REQUEST_BYTES);
                byte[] expected = Arrays.copyOfRange(oracle[file], at, end);
                assertArrayEquals(
                        expected, fixture.read(file, at, MAX_REQUEST_BYTES), what + " at " + at);
            }
        }
    }
}
