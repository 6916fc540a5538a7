package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MountNameTest {
    /** As systemd-escape --path prints them. */
    @ParameterizedTest
    @CsvSource({
        "/, -",
        "/srv/data, srv-data",
        "/srv/a-b, srv-a\\x2db",
        "/srv/.hidden, srv-.hidden",
        "/.hidden, \\x2ehidden",
        "'/a b', a\\x20b",
        "/\u00e4, \\xc3\\xa4"
    })
    void isWhatSystemdMakesOfIt(String path, String name) {
        assertEquals(name, MountName.of(Path.of(path)));
    }

    @Test
    void longPathsStayShortAndApart() {
        String longPath = "/" + "directory/".repeat(100);
        String one = MountName.of(Path.of(longPath + "one"));
        String two = MountName.of(Path.of(longPath + "two"));
        assertTrue(one.length() <= 64, one);
        assertNotEquals(one, two);
    }
}
