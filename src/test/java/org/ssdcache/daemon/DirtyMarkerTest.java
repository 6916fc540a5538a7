package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirtyMarkerTest {
    private static final DirtyMarker PLAIN =
            new DirtyMarker("/var/cache/c", "/srv/data", "/srv/data", 01750, -2, 1_700_000_000);

    @Test
    void itTellsPeopleWhatToDo() {
        String text = PLAIN.text();
        assertTrue(text.startsWith("This directory is locked"), text);
        assertTrue(text.contains("2023-11-14T22:13:20Z"), text);
        assertTrue(text.contains("    ssdcache mount --cache /var/cache/c /srv/data\n"), text);
        assertTrue(text.contains("    ssdcache umount /srv/data\n"), text);
        assertTrue(text.contains("\"ssdcache status /srv/data\""), text);
        assertTrue(text.contains("    ssdcache detach --discard /srv/data\n"), text);
        assertTrue(text.lines().allMatch(line -> line.length() <= 90), text);
    }

    @Test
    void commandsCanBePasted() {
        DirtyMarker odd = new DirtyMarker("/a b", "/it's", "/m", 0, 1, 0);
        assertEquals("ssdcache mount --cache '/a b' '/it'\\''s' /m", odd.mountCommand());
    }

    @Test
    void itIsReadAsItWasWritten() throws IOException {
        DirtyMarker odd =
                new DirtyMarker(
                        "/c\n---- for ssdcache, not to be changed ----\nmode=0777",
                        "/back\\slash \u00e4%s =:#",
                        "/m\r",
                        07777,
                        Long.MIN_VALUE,
                        1);
        DirtyFiles files = new DirtyFiles(1_700_000_001, List.of("a/b", "x\ny\\z", "= #"), 7);
        DirtyMarker listing = PLAIN.withFiles(files).withDisputed(true);
        for (DirtyMarker marker : new DirtyMarker[] {PLAIN, odd, PLAIN.withMode(0), listing}) {
            assertEquals(Optional.of(marker), DirtyMarker.parse(marker.text()));
            assertEquals(Optional.of(marker), DirtyMarker.parse(marker.lines()));
        }
        assertTrue(PLAIN.lines().contains("mode=1750\n"), PLAIN.lines());
        assertTrue(PLAIN.lines().contains("cache=/var/cache/c\n"), PLAIN.lines());
        assertTrue(PLAIN.lines().contains("backing_id=fffffffffffffffe\n"), PLAIN.lines());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"format", "cache", "backing", "mountpoint", "mode", "backing_id", "since_s"})
    void withoutOneLineItIsNoMarker(String key) throws IOException {
        String damaged = PLAIN.text().replaceAll("(?m)^" + key + ".*\n", "");
        assertTrue(damaged.length() < PLAIN.text().length());
        assertFalse(DirtyMarker.parse(damaged).isPresent());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "mode=0755",
                "a\\u00",
                "mode=9",
                "mode=10000",
                "mode=-1",
                "format=2"
            })
    void otherTextIsNone(String text) throws IOException {
        assertFalse(DirtyMarker.parse(text).isPresent());
        String key = text.split("=", 2)[0] + "=";
        if (PLAIN.lines().contains("\n" + key) && !text.equals("mode=0755")) {
            String changed = PLAIN.lines().replaceAll("(?m)^" + key + ".*", text);
            assertFalse(DirtyMarker.parse(changed).isPresent(), changed);
        }
    }
}
