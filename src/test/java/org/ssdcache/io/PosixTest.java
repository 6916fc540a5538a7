package org.ssdcache.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PosixTest {
    private static final byte[] NOT_UTF8 = {(byte) 0xff, (byte) 0xfe, 'x', 0};

    @TempDir Path directory;
    private int fd;

    @BeforeEach
    void open() throws IOException {
        fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
    }

    @AfterEach
    void close() throws IOException {
        Posix.close(fd);
    }

    private int make(byte[] name) throws IOException {
        return Posix.openAt(fd, name, OpenFlags.O_CREAT | OpenFlags.O_RDWR, 0640);
    }

    @Test
    void statusTellsWhatJavaTells() throws IOException {
        Path path = directory.resolve("f");
        Files.writeString(path, "12345");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r-----"));
        FileStatus status = Posix.statusAt(fd, Posix.name("f"), 0);
        assertTrue(status.isRegular());
        assertEquals(5, status.sizeBytes());
        assertEquals(FileStatus.TYPE_REGULAR | 0640, status.mode());
        assertEquals(Files.getAttribute(path, "unix:ino"), status.inode());
        assertEquals(Files.getAttribute(path, "unix:dev"), status.device());
        assertEquals(Files.getAttribute(path, "unix:nlink"), status.links());
        assertEquals(
                Files.getLastModifiedTime(path).to(TimeUnit.NANOSECONDS), status.modifiedNanos());
        assertTrue(status.birthNanos() <= status.changedNanos());
        assertTrue(Posix.status(fd).isDirectory());
    }

    @Test
    void namesAreBytes() throws IOException {
        Posix.close(make(NOT_UTF8));
        assertEquals(0, Posix.statusAt(fd, NOT_UTF8, 0).sizeBytes());
        Posix.unlinkAt(fd, NOT_UTF8, 0);
        assertEquals(-Errno.ENOENT, Posix.tryOpenAt(fd, NOT_UTF8, OpenFlags.O_PATH));
    }

    @Test
    void aLinkIsReadAndLinkedThroughItsDescriptor() throws IOException {
        Posix.symlinkAt(NOT_UTF8, fd, Posix.name("link"));
        int link = Posix.openAt(fd, Posix.name("link"), OpenFlags.O_PATH | OpenFlags.O_NOFOLLOW, 0);
        try {
            assertArrayEquals(NOT_UTF8, Posix.readLink(link));
            Posix.linkAt(link, fd, Posix.name("second"));
            assertEquals(2, Posix.status(link).links());
        } finally {
            Posix.close(link);
        }
    }

    @Test
    void timesCanBeLeftOut() throws IOException {
        int file = make(Posix.name("f"));
        try {
            Posix.setTimes(file, 11, 22, 33, 44);
            Posix.setTimes(file, 55, 66, 0, Posix.UTIME_OMIT);
            FileStatus status = Posix.status(file);
            assertEquals(55, status.accessSeconds());
            assertEquals(66, status.accessNanos());
            assertEquals(33_000_000_044L, status.modifiedNanos());
        } finally {
            Posix.close(file);
        }
    }

    @Test
    void anotherNameAndAnotherModeAreSeenThroughTheOldDescriptor() throws IOException {
        int file = make(Posix.name("f"));
        try {
            Posix.renameAt(fd, Posix.name("f"), fd, Posix.name("g"));
            Posix.chmod(file, 0600);
            assertEquals(0600, Posix.statusAt(fd, Posix.name("g"), 0).mode() & 07777);
            Posix.mkdirAt(fd, Posix.name("d"), 0700);
            ErrnoException e =
                    assertThrows(
                            ErrnoException.class,
                            () -> Posix.renameAt(fd, Posix.name("g"), fd, Posix.name("d")));
            assertEquals(Errno.EISDIR, e.errno());
            Posix.unlinkAt(fd, Posix.name("d"), OpenFlags.AT_REMOVEDIR);
        } finally {
            Posix.close(file);
        }
    }

    @Test
    void fifosAreMade() throws IOException {
        Posix.mknodAt(fd, Posix.name("fifo"), 0010600, 0);
        assertEquals(0010600, Posix.statusAt(fd, Posix.name("fifo"), 0).mode());
    }

    @Test
    void alignedBuffersStartAPage() {
        for (int i = 0; i < 10; i++) {
            ByteBuffer buffer = DirectBuffers.allocateAligned(100 + i);
            assertEquals(0, DirectBuffers.addressOf(buffer) % DirectBuffers.ALIGNMENT_BYTES);
            assertEquals(100 + i, buffer.remaining());
            long next = DirectBuffers.addressOf(buffer.position(3));
            assertEquals(3, next % DirectBuffers.ALIGNMENT_BYTES);
        }
    }

    @Test
    void theBootHasAName() throws IOException {
        assertEquals(36, BootId.read().length());
        assertEquals(BootId.read(), BootId.read());
    }

    @Test
    void theSystemAllowsManyOpenFiles() throws IOException {
        assertTrue(OpenFileLimit.systemMaximum() >= 1024);
    }

    @Test
    void errorsAreDescribed() {
        assertTrue(Errno.describe(Errno.ENOENT).startsWith("ENOENT ("));
        assertEquals("errno 9999", Errno.describe(9999));
    }
}
