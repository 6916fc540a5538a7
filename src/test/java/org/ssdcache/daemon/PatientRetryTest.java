package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.ssdcache.testing.FakeClock;

class PatientRetryTest {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final FakeClock clock = new FakeClock();
    private final PatientRetry retry = new PatientRetry(clock, PATIENCE_NANOS);
    private int tries;

    @Test
    void whatSucceedsAtLastIsDone() throws IOException {
        assertTrue(retry.run(() -> failFor(5, 0), failure -> true));
        assertEquals(6, tries);
    }

    @Test
    void itEndsWithTheReason() {
        long begin = clock.monotonicNanos();
        IOException failure =
                assertThrows(
                        IOException.class, () -> retry.run(() -> failFor(1000, 0), unused -> true));
        assertEquals("try " + tries, failure.getMessage());
        long tookNanos = clock.monotonicNanos() - begin;
        assertTrue(tookNanos >= PATIENCE_NANOS && tookNanos < 2 * PATIENCE_NANOS);
    }

    @Test
    void aSlowFailureIsTriedThreeTimes() {
        assertThrows(
                IOException.class,
                () -> retry.run(() -> failFor(1000, 2 * PATIENCE_NANOS), unused -> true));
        assertEquals(3, tries);
    }

    @Test
    void whoDoesNotWantToWaitIsLetGo() throws IOException {
        assertFalse(retry.run(() -> failFor(1000, 0), failure -> tries < 4));
        assertEquals(4, tries);
    }

    private void failFor(int times, long nanos) throws IOException {
        clock.advanceNanos(nanos);
        if (++tries <= times) {
            throw new IOException("try " + tries);
        }
    }
}
