package org.ssdcache.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MountFlagsTest {
    private static final long RELATIME = 1 << 21;

    private static MountFlags asked(String... words) {
        return new MountFlags(List.of(words));
    }

    @Test
    void everythingIsAsOnTheBackingsMount() {
        assertEquals(
                List.of("rw", "suid", "dev", "exec", "atime", "async"),
                MountFlags.NONE.over(List.of("rw", "relatime"), true));
        assertEquals(
                List.of("ro", "nosuid", "nodev", "noexec", "noatime", "sync"),
                MountFlags.NONE.over(
                        List.of("ro", "nosuid", "nodev", "noexec", "noatime", "sync"), true));
    }

    @Test
    void whatIsAskedForCounts() {
        assertEquals(
                List.of("ro", "nosuid", "dev", "exec", "noatime", "async"),
                asked("ro", "nosuid", "exec", "noatime").over(List.of("noexec"), true));
    }

    @Test
    void theLaterOneOfTwoCounts() {
        assertEquals("rw", asked("ro", "rw").over(List.of(), true).get(0));
        assertEquals("ro", asked("rw", "ro").over(List.of(), true).get(0));
    }

    @Test
    void usersHaveNeitherDevicesNorSetuidPrograms() {
        assertEquals(
                List.of("rw", "exec", "atime", "async"),
                asked("suid", "dev").over(List.of(), false));
        assertEquals(
                List.of("rw", "nosuid", "nodev", "exec", "atime", "async"),
                asked("nosuid", "nodev").over(List.of(), false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ro", "rw", "suid", "nodev", "exec", "async", "relatime", "lazytime"})
    void knowsFlags(String word) {
        assertTrue(MountFlags.isFlag(word));
    }

    /** Those that would be a promise that is not kept are not known. */
    @ParameterizedTest
    @ValueSource(strings = {"", "RO", "ro ", "dirsync", "mand", "nosymfollow", "bind", "size=1"})
    void knowsNoOthers(String word) {
        assertFalse(MountFlags.isFlag(word));
    }

    /** Numbers as in linux/mount.h. */
    @ParameterizedTest
    @CsvSource({
        "ro, '', 1",
        "nosuid, '', 2",
        "nodev, '', 4",
        "noexec, '', 8",
        "sync, '', 16",
        "rw, ro, 0",
        "exec, 'ro,noexec', 1",
        "rw, 'nosuid,nodev,relatime', 6",
    })
    void bitsOfTheKernel(String word, String present, long bits) {
        assertEquals(bits | RELATIME, asked(word).kernelFlags(List.of(present.split(",", -1))));
    }

    @Test
    void accessTimes() {
        assertEquals(1024, asked("noatime").kernelFlags(List.of("relatime")));
        assertEquals(1024, MountFlags.NONE.kernelFlags(List.of("noatime")));
        assertEquals(RELATIME, asked("atime").kernelFlags(List.of("noatime")));
    }

    @Test
    void noticesWhetherAnythingChanges() {
        assertFalse(MountFlags.NONE.change(List.of("ro", "noexec")));
        assertFalse(asked("rw", "relatime").change(List.of("rw", "nosuid", "relatime")));
        assertTrue(asked("ro").change(List.of("rw")));
        assertTrue(asked("rw").change(List.of("rw", "ro")));
    }
}
