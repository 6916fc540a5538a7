package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.ssdcache.block.FileId;
import org.ssdcache.testing.FakeClock;

final class SequentialStreamsTest {
    private static final FileId FILE = new FileId(0, 1, 1);
    private static final int REQUEST = 128 << 10;
    private static final int CUTOFF = 4 << 20;

    private final FakeClock clock = new FakeClock();
    private final SequentialStreams streams = new SequentialStreams(clock);

    private boolean bypasses(long offset) {
        return streams.bypasses(FILE, offset, REQUEST, 1);
    }

    @Test
    void aStreamBypassesFromTheCutoffOn() {
        for (long at = 0; at < 2L * CUTOFF; at += REQUEST) {
            assertEquals(at + REQUEST >= CUTOFF, bypasses(at), "at " + at);
        }
    }

    @Test
    void requestsOutOfOrderAreStillAStream() {
        boolean bypassed = false;
        for (long at = 0; at < 2L * CUTOFF; at += 2L * REQUEST) {
            bypasses(at + REQUEST);
            bypassed = bypasses(at);
        }
        assertTrue(bypassed);
    }

    @Test
    void zeroMeansNever() {
        streams.setCutoffBytes(0);
        for (long at = 0; at < 4L * CUTOFF; at += REQUEST) {
            assertFalse(bypasses(at));
        }
    }

    @Test
    void aPauseEndsAStream() {
        for (long at = 0; at < CUTOFF - REQUEST; at += REQUEST) {
            assertFalse(bypasses(at));
        }
        clock.advanceNanos(TimeUnit.SECONDS.toNanos(6));
        assertFalse(bypasses(CUTOFF - REQUEST));
    }

    @Test
    void randomReadsAreNoStream() {
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            long offset = random.nextInt(8192) * 8192L;
            assertFalse(streams.bypasses(FILE, offset, 8192, 1), "request " + i + ", seed 3");
            clock.advanceNanos(20_000);
        }
    }

    @Test
    void twoFilesAreTwoStreams() {
        FileId other = new FileId(0, 2, 1);
        for (long at = 0; at < CUTOFF - 2L * REQUEST; at += REQUEST) {
            assertFalse(streams.bypasses(FILE, at, REQUEST, 1));
            assertFalse(streams.bypasses(other, at, REQUEST, 2));
        }
    }

    @Test
    void aTaskThatOnlyStreamsBypassesEarlier() {
        for (int file = 0; file < 40; file++) {
            FileId id = new FileId(0, 100 + file, 1);
            for (long at = 0; at < 2L * CUTOFF; at += REQUEST) {
                streams.bypasses(id, at, REQUEST, 5);
            }
        }
        assertTrue(streams.bypasses(new FileId(0, 999, 1), 0, REQUEST, 5));
        assertFalse(streams.bypasses(new FileId(0, 998, 1), 0, REQUEST, 6));
    }
}
