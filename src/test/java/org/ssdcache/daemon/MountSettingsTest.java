package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

class MountSettingsTest {
    @ParameterizedTest
    @CsvSource({"30s, 30000", "30, 30000", "5m, 300000", "2h, 7200000", "1d, 86400000", "9ms, 9"})
    void readsDurations(String text, long millis) throws RefusedException {
        assertEquals(Duration.ofMillis(millis), MountSettings.duration(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "0", "-1s", "1.5s", "10 years", "99999999999s", "5M5"})
    void refusesOtherDurations(String text) {
        RefusedException e =
                assertThrows(RefusedException.class, () -> MountSettings.duration(text));
        assertEquals(ExitCode.USAGE, e.code());
    }

    @Test
    void readsModes() throws RefusedException {
        assertEquals(CacheMode.WRITEAROUND, MountSettings.mode("writearound"));
        assertEquals(CacheMode.NONE, MountSettings.mode("NONE"));
    }

    @Test
    void namesTheModesWhenThereIsNoSuchMode() {
        RefusedException e =
                assertThrows(RefusedException.class, () -> MountSettings.mode("sometimes"));
        assertEquals(ExitCode.USAGE, e.code());
        for (CacheMode mode : CacheMode.values()) {
            assertTrue(e.getMessage().contains(mode.label()), e.getMessage());
        }
    }

    @Test
    void everyModeIsOffered() throws RefusedException {
        for (CacheMode mode : CacheMode.values()) {
            assertEquals(mode, MountSettings.mode(mode.label()));
        }
    }
}
