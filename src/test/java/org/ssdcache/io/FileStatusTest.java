package org.ssdcache.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStatusTest {
    @TempDir Path directory;
    private int fd;
    private FileStatus status;

    @BeforeEach
    void open() throws IOException {
        fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        Posix.chmod(fd, 01750);
        status = Posix.status(fd);
    }

    @AfterEach
    void close() throws IOException {
        Posix.close(fd);
    }

    @Test
    void oneAttributeIsReplaced() {
        assertEquals(12345, status.withSize(12345).sizeBytes());
        assertEquals(status, status.withSize(12345).withSize(status.sizeBytes()));
        FileStatus open = status.withPermissions(02777);
        assertEquals(FileStatus.TYPE_DIRECTORY | 02777, open.mode());
        assertEquals(02777, open.permissions());
        assertEquals(status, open.withPermissions(01750));
        FileStatus early = status.withTimes(-1, 2_000_000_003L);
        assertEquals(-1, early.modifiedNanos());
        assertEquals(999_999_999, early.modifyNanos());
        assertEquals(2, early.changeSeconds());
        assertEquals(3, early.changeNanos());
        assertEquals(status, early.withTimes(status.modifiedNanos(), status.changedNanos()));
    }

    @Test
    void whatStaysCostsNothing() {
        assertSame(status, status.withSize(status.sizeBytes()));
        assertSame(status, status.withPermissions(status.mode()));
    }
}
