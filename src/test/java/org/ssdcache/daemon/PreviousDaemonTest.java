package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

class PreviousDaemonTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private int attempts;
    private int told;

    private final StartupReport report =
            new StartupReport() {
                @Override
                public void progress(String what) {
                    told++;
                }

                @Override
                public void ready() {}

                @Override
                public void failed(ExitCode code, String sentence) {}
            };

    private PreviousDaemon previous(boolean serves, Duration patience) {
        return new PreviousDaemon(() -> serves, report, patience);
    }

    /** Is refused until it is tried for the n-th time. */
    private String succeedAt(int n, ExitCode code) throws RefusedException {
        attempts++;
        if (attempts < n) {
            throw new RefusedException(code, "busy");
        }
        return "taken";
    }

    @ParameterizedTest
    @EnumSource(names = {"ALREADY_MOUNTED", "BACKING_BUSY", "CACHE_BUSY"})
    void oneThatIsEndingIsWaitedFor(ExitCode busy) throws IOException, RefusedException {
        assertEquals("taken", previous(false, LONG).awaitEnd(() -> succeedAt(3, busy)));
        assertEquals(3, attempts);
        assertEquals(1, told);
    }

    @Test
    void oneThatServesAMountIsNot() {
        PreviousDaemon previous = previous(true, LONG);
        assertThrows(
                RefusedException.class,
                () -> previous.awaitEnd(() -> succeedAt(2, ExitCode.CACHE_BUSY)));
        assertEquals(1, attempts);
        assertEquals(0, told);
    }

    @Test
    void waitingHasAnEnd() {
        PreviousDaemon previous = previous(false, Duration.ZERO);
        RefusedException e =
                assertThrows(
                        RefusedException.class,
                        () -> previous.awaitEnd(() -> succeedAt(2, ExitCode.CACHE_BUSY)));
        assertEquals(ExitCode.CACHE_BUSY, e.code());
        assertEquals(1, attempts);
    }

    @Test
    void otherRefusalsAreFinal() {
        PreviousDaemon previous = previous(false, LONG);
        assertThrows(
                RefusedException.class,
                () -> previous.awaitEnd(() -> succeedAt(2, ExitCode.CACHE_UNUSABLE)));
        assertEquals(1, attempts);
    }
}
