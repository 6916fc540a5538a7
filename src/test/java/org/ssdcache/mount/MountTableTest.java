package org.ssdcache.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountTableTest {
    private static final String SAMPLE =
            """
            21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
            30 21 8:1 / /srv/my\\040disk rw,noatime shared:5 master:2 - xfs /dev/sdb1 rw
            41 30 0:55 / /srv/my\\040disk rw,nosuid - fuse.ssdcache /srv/my\\040disk rw,user_id=0
            42 21 0:56 / /odd\\134name\\012x rw - tmpfs none rw
            """;

    private static final MountTable TABLE =
            MountTable.parse(
                    """
                    27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
                    28 27 8:1 / /srv rw,noexec - xfs /dev/sdb1 rw
                    29 28 8:1 /sub /srv/data rw - xfs /dev/sdb1 rw
                    30 29 0:40 / /srv/data rw,nosuid - fuse.ssdcache /srv/data rw,user_id=0,group_id=0
                    31 27 0:41 / /home/my\\040dir rw - fuse.ssdcache a\\054b rw,user_id=1000
                    32 27 0:42 / /gone rw master:3 propagate_from:2 - fuse.ssdcache x rw,user_id=7
                    33 32 0:43 / /gone rw - tmpfs tmpfs rw
                    """);

    @Test
    void fieldsAreFoundBehindAnyNumberOfOptionalOnes() {
        MountTable table = MountTable.parse(SAMPLE);
        assertEquals(4, table.entries().size());
        assertEquals(
                new MountTable.Entry(
                        30,
                        "8:1",
                        Path.of("/srv/my disk"),
                        "xfs",
                        "/dev/sdb1",
                        List.of("rw", "noatime", "rw")),
                table.entries().get(1));
        assertEquals(Path.of("/odd\\name\nx"), table.entries().get(3).mountpoint());
    }

    @Test
    void theLaterMountCoversTheEarlier() {
        MountTable.Entry top =
                MountTable.parse(SAMPLE).topAt(Path.of("/srv/my disk")).orElseThrow();
        assertEquals(41, top.id());
        assertTrue(top.isOurs());
        assertFalse(MountTable.parse(SAMPLE).topAt(Path.of("/")).orElseThrow().isOurs());
        assertTrue(MountTable.parse(SAMPLE).topAt(Path.of("/srv")).isEmpty());
    }

    @Test
    void theMachinesOwnTableIsUnderstood() throws IOException {
        assertTrue(MountTable.read().topAt(Path.of("/")).isPresent());
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

    @Test
    void theMountMadeLastIsOnTop() {
        assertTrue(TABLE.topAt(Path.of("/srv/data")).orElseThrow().isOurs());
        assertEquals("tmpfs", TABLE.topAt(Path.of("/gone")).orElseThrow().type());
        assertTrue(TABLE.topAt(Path.of("/srv/other")).isEmpty());
    }

    @Test
    void listsOursThatCanBeSeen() {
        assertEquals(
                List.of(Path.of("/home/my dir"), Path.of("/srv/data")),
                TABLE.ours().stream().map(MountTable.Entry::mountpoint).toList());
    }

    @Test
    void knowsWhoMountedIt() {
        assertEquals(1000, TABLE.topAt(Path.of("/home/my dir")).orElseThrow().userId());
    }

    @Test
    void findsTheMountThatHoldsAPath() {
        assertTrue(TABLE.holding(Path.of("/srv/x/y")).orElseThrow().options().contains("noexec"));
        assertEquals("ext4", TABLE.holding(Path.of("/etc")).orElseThrow().type());
    }

    @Test
    void findsMountsBelow() {
        assertEquals(
                List.of(Path.of("/srv/data"), Path.of("/srv/data")), TABLE.below(Path.of("/srv")));
        assertEquals(List.of(), TABLE.below(Path.of("/srv/dat")));
    }

    @Test
    void readsTheMachinesOwn() throws IOException {
        assertTrue(MountTable.read().holding(Path.of("/proc/self")).isPresent());
    }
}
