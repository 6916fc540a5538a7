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
import org.ssdcache.cleaner.CleanerSettings;
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
    void readsWritebackSettings() throws RefusedException {
        CleanerSettings settings = CleanerSettings.DEFAULT;
        settings = MountSettings.writeback(settings, "writeback_percent", "40");
        settings = MountSettings.writeback(settings, "writeback_delay", "5m");
        settings = MountSettings.writeback(settings, "writeback_running", "off");
        assertEquals(new CleanerSettings(40, 300, false), settings);
        assertEquals(
                0,
                MountSettings.writeback(settings, "writeback_delay", "0").writebackDelaySeconds());
        assertEquals(
                0, MountSettings.writeback(settings, "writeback_percent", "0").writebackPercent());
    }

    @ParameterizedTest
    @CsvSource({
        "writeback_percent, -1",
        "writeback_percent, 41",
        "writeback_percent, 10%",
        "writeback_percent, ''",
        "writeback_delay, -1",
        "writeback_delay, 1ms",
        "writeback_delay, 25h",
        "writeback_delay, soon",
        "writeback_running, perhaps",
    })
    void refusesOtherWritebackSettings(String key, String value) {
        RefusedException e =
                assertThrows(
                        RefusedException.class,
                        () -> MountSettings.writeback(CleanerSettings.DEFAULT, key, value));
        assertEquals(ExitCode.USAGE, e.code());
        assertTrue(e.getMessage().contains("\"" + value + "\""), e.getMessage());
    }

    @Test
    void readsChoicesInConflicts() throws RefusedException {
        for (ConflictChoice choice : ConflictChoice.values()) {
            assertEquals(choice, MountSettings.conflict(choice.label()));
        }
        RefusedException e =
                assertThrows(RefusedException.class, () -> MountSettings.conflict("both"));
        assertEquals(ExitCode.USAGE, e.code());
    }

    @Test
    void readsModes() throws RefusedException {
        assertEquals(CacheMode.WRITEAROUND, MountSettings.mode("writearound"));
        assertEquals(CacheMode.NONE, MountSettings.mode("NONE"));
        assertEquals(CacheMode.WRITEBACK, MountSettings.mode("writeback"));
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
