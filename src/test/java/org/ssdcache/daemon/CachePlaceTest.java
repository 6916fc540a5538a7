package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

class CachePlaceTest {
    @TempDir private Path root;
    private Path cache;
    private final List<String> warnings = new ArrayList<>();

    @BeforeEach
    void resolve() throws IOException {
        cache = root.toRealPath().resolve("cache");
    }

    private void check(String type, String options) throws IOException, RefusedException {
        MountTable mounts =
                MountTable.parse(
                        String.format("29 1 8:1 / / %s - %s /dev/x %s\n", options, type, options));
        new CachePlace(cache, warnings::add).check(mounts);
    }

    private String refusal(ExitCode code, String type, String options) {
        RefusedException e = assertThrows(RefusedException.class, () -> check(type, options));
        assertEquals(code, e.code(), e.getMessage());
        return e.getMessage();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs", "zfs", "overlay", "fuseblk"})
    void localFilesystems(String type) throws IOException, RefusedException {
        check(type, "rw,noatime");
        assertEquals(List.of(), warnings);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs"})
    void networkFilesystems(String type) {
        assertTrue(refusal(ExitCode.UNSUPPORTED, type, "rw").contains("(" + type + ")"));
    }

    @Test
    void aFilesystemThatIsReadOnly() {
        String sentence = refusal(ExitCode.CACHE_UNUSABLE, "ext4", "ro,relatime");
        assertTrue(sentence.contains("mounted read-only at /;"), sentence);
    }

    @Test
    void memoryIsWarnedOf() throws IOException, RefusedException {
        check("tmpfs", "rw");
        assertEquals(1, warnings.size());
        assertTrue(warnings.get(0).contains("in memory (tmpfs)"), warnings.get(0));
    }

    @Test
    void aDirectoryThatOthersCanWriteToIsWarnedOf() throws IOException, RefusedException {
        Files.createDirectory(cache);
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxr-xr-x"));
        check("ext4", "rw");
        assertEquals(List.of(), warnings);
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));
        check("ext4", "rw");
        assertEquals(1, warnings.size());
        assertTrue(warnings.get(0).startsWith("Other users could write"), warnings.get(0));
    }

    @Test
    void aDirectoryThatOneMayNotWriteTo() throws IOException {
        Files.createDirectory(cache);
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("r-x------"));
        assumeFalse(Files.isWritable(cache), "root may write anywhere");
        assertTrue(refusal(ExitCode.PERMISSION, "ext4", "rw").contains(cache.toString()));
    }
}
