package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class UmountRegistrationTest {
    private static final String TABLE =
            """
            SRC=/back TARGET=/srv/data ROOT=/ OPTS=_netdev
            SRC=/b\\040c TARGET=/srv/a\\040b\\134c ROOT=/ OPTS=helper=ssdcache
            """;

    private static boolean isRegistered(String mountpoint) {
        return UmountRegistration.isRegistered(TABLE, Path.of(mountpoint));
    }

    @Test
    void everyLineOfTheMountpointCounts() {
        assertTrue(isRegistered("/srv/data"));
        assertTrue(isRegistered("/srv/a b\\c"));
        assertFalse(isRegistered("/srv"));
        assertFalse(isRegistered("/srv/dat"));
        assertFalse(isRegistered("/back"));
        assertFalse(UmountRegistration.isRegistered("", Path.of("/srv/data")));
    }
}
