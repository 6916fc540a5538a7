package org.ssdcache.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class MountTableTest {
    private static final String SAMPLE =
            """
            21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
            30 21 8:1 / /srv/my\\040disk rw,noatime shared:5 master:2 - xfs /dev/sdb1 rw
            41 30 0:55 / /srv/my\\040disk rw,nosuid - fuse.ssdcache /srv/my\\040disk rw,user_id=0
            42 21 0:56 / /odd\\134name\\012x rw - tmpfs none rw
            """;

    @Test
    void fieldsAreFoundBehindAnyNumberOfOptionalOnes() {
        MountTable table = MountTable.parse(SAMPLE);
        assertEquals(4, table.entries().size());
        assertEquals(
                new MountTable.Entry(30, "8:1", "/srv/my disk", "xfs", "/dev/sdb1"),
                table.entries().get(1));
        assertEquals("/odd\\name\nx", table.entries().get(3).mountpoint());
    }

    @Test
    void theLaterMountCoversTheEarlier() {
        MountTable.Entry top = MountTable.parse(SAMPLE).topmostAt("/srv/my disk").orElseThrow();
        assertEquals(41, top.id());
        assertTrue(top.isOurs());
        assertFalse(MountTable.parse(SAMPLE).topmostAt("/").orElseThrow().isOurs());
        assertTrue(MountTable.parse(SAMPLE).topmostAt("/srv").isEmpty());
    }

    @Test
    void theMachinesOwnTableIsUnderstood() throws IOException {
        assertTrue(MountTable.read().topmostAt("/").isPresent());
    }

    @Test
    void aBackslashThatEscapesNothingStays() {
        assertEquals("a\\1", MountTable.unescape("a\\1"));
    }

    @Test
    void libfuseGetsCommasEscaped() {
        String options = MountOptions.of("/mnt", "/a,b\\c", false).toLibFuse();
        assertTrue(options.contains("fsname=/a\\,b\\\\c,"), options);
        assertFalse(options.contains("allow_other"), options);
    }
}
