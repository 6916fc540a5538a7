package org.ssdcache.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

final class StatLayoutTest {
    /** The numbers that offsetof prints in a C program on x86-64 Linux. */
    @Test
    void isTheKernelsOnX86() {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "not x86-64");
        assertEquals(144, StatLayout.STAT_BYTES);
        assertEquals(112, StatLayout.STATVFS_BYTES);
        assertEquals(16, StatLayout.LINKS);
        assertEquals(24, StatLayout.MODE);
        assertEquals(28, StatLayout.UID);
        assertEquals(32, StatLayout.GID);
        assertEquals(40, StatLayout.SPECIAL_DEVICE);
        assertEquals(48, StatLayout.SIZE);
        assertEquals(64, StatLayout.BLOCKS);
        assertEquals(72, StatLayout.ACCESS_SECONDS);
        assertEquals(96, StatLayout.MODIFY_NANOS);
        assertEquals(112, StatLayout.CHANGE_NANOS);
        assertEquals(176, FuseLayout.ENTRY_BYTES);
    }
}
