package org.ssdcache.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.testing.Caches;

/** What the mount shows of a guarded root. */
class RootGuardTest {
    private static final Caller SELF =
            new Caller(Posix.effectiveUid(), Posix.effectiveGid(), 1, 022);
    private static final byte[] HIDDEN = Posix.name("hidden");

    @TempDir Path directory;
    @TempDir Path cacheDirectory;
    private final FakeGuard guard = new FakeGuard();
    private BlockCache cache;
    private FileSystem files;
    private Inode root;

    /** Shows another mode than the disk's when it is told one. */
    private static final class FakeGuard implements RootGuard {
        private int shown = -1;

        @Override
        public int shownMode(int permissions) {
            return shown < 0 ? permissions : shown;
        }

        @Override
        public void setMode(int rootFd, int permissions) {
            shown = permissions;
        }

        @Override
        public boolean isLocked() {
            return shown >= 0;
        }

        @Override
        public boolean isHidden(ByteBuffer name) {
            return StandardCharsets.UTF_8.decode(name.duplicate()).toString().equals("hidden");
        }
    }

    @BeforeEach
    void open() throws IOException {
        cache = Caches.inMemory(cacheDirectory);
        int fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        files = new FileSystem(fd, cache, new FileSystemOptions(true, guard));
        root = files.inode(1);
    }

    @AfterEach
    void close() throws IOException {
        files.close();
        cache.close();
    }

    private static AttributeChange mode(int mode) {
        return new AttributeChange(AttributeChange.MODE, mode, 0, 0, 0, 0, 0, 0, 0);
    }

    private int diskMode() throws IOException {
        return (int) Files.getAttribute(directory, "unix:mode") & 07777;
    }

    private static void assertErrno(int errno, Executable call) {
        assertEquals(errno, assertThrows(ErrnoException.class, call).errno());
    }

    @Test
    void theGuardSaysWhatModeTheRootShows() throws IOException {
        int before = diskMode();
        assertEquals(before, files.getattr(root).permissions());
        assertEquals(01751, files.setattr(root, mode(01751)).permissions());
        assertEquals(01751, files.getattr(root).permissions());
        assertTrue(files.getattr(root).isDirectory());
        assertEquals(before, diskMode());
        Inode sub = files.mkdir(root, Posix.name("sub"), 0755, SELF);
        assertEquals(0700, files.setattr(sub, mode(0700)).permissions());
        assertEquals(01751, guard.shown);
    }

    @Test
    void withoutAGuardTheModeIsTheDisks() throws IOException {
        files.close();
        int fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        files = new FileSystem(fd, cache, new FileSystemOptions(true));
        root = files.inode(1);
        assertEquals(0711, files.setattr(root, mode(0711)).permissions());
        assertEquals(0711, diskMode());
    }

    @Test
    void aHiddenNameIsNotThere() throws IOException {
        Files.writeString(directory.resolve("hidden"), "marker");
        Files.writeString(directory.resolve("seen"), "x");
        assertNull(files.lookup(root, HIDDEN));
        assertEquals(List.of(".", "..", "seen"), list(root));
        assertErrno(Errno.ENOENT, () -> files.unlink(root, HIDDEN));
        assertErrno(Errno.ENOENT, () -> files.rmdir(root, HIDDEN));
        assertErrno(Errno.ENOENT, () -> files.rename(root, HIDDEN, root, Posix.name("other")));
        assertEquals("marker", Files.readString(directory.resolve("hidden")));
    }

    @Test
    void aHiddenNameCannotBeMade() throws IOException {
        Files.writeString(directory.resolve("file"), "x");
        Inode file = files.lookup(root, Posix.name("file"));
        byte[] target = Posix.name("target");
        assertErrno(Errno.EPERM, () -> files.create(root, HIDDEN, 0644, OpenFlags.O_RDWR, SELF));
        assertErrno(Errno.EPERM, () -> files.mkdir(root, HIDDEN, 0755, SELF));
        assertErrno(Errno.EPERM, () -> files.mknod(root, HIDDEN, 0010644, 0, SELF));
        assertErrno(Errno.EPERM, () -> files.symlink(target, root, HIDDEN, SELF));
        assertErrno(Errno.EPERM, () -> files.link(file, root, HIDDEN));
        assertErrno(Errno.EPERM, () -> files.rename(root, Posix.name("file"), root, HIDDEN));
        assertEquals(List.of(".", "..", "file"), list(root));
    }

    @Test
    void elsewhereTheNameIsOrdinary() throws IOException {
        Inode sub = files.mkdir(root, Posix.name("sub"), 0755, SELF);
        files.release(files.create(sub, HIDDEN, 0644, OpenFlags.O_RDWR, SELF).handle());
        assertNotNull(files.lookup(sub, HIDDEN));
        assertEquals(List.of(".", "..", "hidden"), list(sub));
        files.rename(sub, HIDDEN, root, Posix.name("shown"));
        files.rename(root, Posix.name("shown"), sub, HIDDEN);
        files.unlink(sub, HIDDEN);
    }

    private List<String> list(Inode inode) throws IOException {
        int handle = files.opendir(inode);
        List<String> names = new ArrayList<>();
        files.readdir(
                handle,
                0,
                (number, next, type, name) ->
                        names.add(StandardCharsets.UTF_8.decode(name).toString()));
        files.releasedir(handle);
        return names.stream().sorted().toList();
    }

    @Test
    void theAccessListOfALockedRootStays() throws IOException {
        byte[] list = Posix.name("system.posix_acl_access");
        guard.shown = 0750;
        assertErrno(Errno.EBUSY, () -> files.setxattr(root, list, 0, 0, 0));
        assertErrno(Errno.EBUSY, () -> files.removexattr(root, list));
    }
}
