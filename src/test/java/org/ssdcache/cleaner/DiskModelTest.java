package org.ssdcache.cleaner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class DiskModelTest {
    private final Random random = new Random(1);

    private void observe(DiskModel model, double seekSeconds, double bytesPerSecond, int batches) {
        for (int i = 0; i < batches; i++) {
            int requests = 1 + random.nextInt(100);
            long bytes = requests * (4096L + random.nextInt(1 << 20));
            double noise = 0.8 + 0.4 * random.nextDouble();
            double seconds = noise * (requests * seekSeconds + bytes / bytesPerSecond);
            model.observe(requests, bytes, (long) (seconds * 1e9));
        }
    }

    private static void assertNear(long expected, long value, long tolerance) {
        assertTrue(Math.abs(value - expected) <= tolerance, expected + " expected, was " + value);
    }

    @Test
    void beginsWithASpinningDisk() {
        DiskModel model = new DiskModel();
        assertEquals(8_000_000, model.seekNanos());
        assertEquals(150_000_000, model.bytesPerSecond());
        assertNear(1_200_000, model.widestGapBytes(), 1);
        assertEquals(9_000_000, model.estimateNanos(1, 150_000));
    }

    @Test
    void learnsAnSsd() {
        DiskModel model = new DiskModel();
        observe(model, 100e-6, 500e6, 100);
        assertNear(100_000, model.seekNanos(), 40_000);
        assertNear(500_000_000, model.bytesPerSecond(), 100_000_000);
        assertTrue(model.widestGapBytes() < 100_000);
    }

    @Test
    void learnsASlowerDiskAndThatItChanged() {
        DiskModel model = new DiskModel();
        observe(model, 100e-6, 500e6, 100);
        observe(model, 0.015, 60e6, 200);
        assertNear(15_000_000, model.seekNanos(), 3_000_000);
        assertNear(60_000_000, model.bytesPerSecond(), 15_000_000);
    }

    @Test
    void batchesAllAlikeMoveBothCostsTogether() {
        DiskModel model = new DiskModel();
        for (int i = 0; i < 1000; i++) {
            model.observe(10, 10 * 16_384, 40_000_000);
        }
        assertNear(40_000_000, model.estimateNanos(10, 10 * 16_384), 2_000_000);
        assertTrue(model.seekNanos() < 8_000_000 && model.seekNanos() > 2_000_000);
    }

    @Test
    void oneHiccupChangesLittle() {
        DiskModel model = new DiskModel();
        observe(model, 0.008, 150e6, 100);
        long before = model.widestGapBytes();
        model.observe(2, 8192, 30_000_000_000L);
        assertNear(before, model.widestGapBytes(), before / 4);
    }

    @Test
    void staysInItsRangesWhateverItSees() {
        DiskModel model = new DiskModel();
        for (int i = 0; i < 1000; i++) {
            int requests = random.nextInt(1000);
            long bytes = random.nextInt(1 << 30);
            model.observe(requests, bytes, random.nextLong() >>> random.nextInt(64));
            assertTrue(model.seekNanos() >= 20_000 && model.seekNanos() <= 100_000_000);
            assertTrue(model.bytesPerSecond() >= 1_000_000);
            assertTrue(model.bytesPerSecond() <= 10_000_000_000L);
        }
    }
}
