package org.ssdcache.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InodeHandleTest {
    @TempDir Path directory;

    @Test
    void whatWasKeptIsTheSameHandle() throws IOException {
        int fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        try {
            InodeHandle handle = InodeHandle.of(fd);
            InodeHandle kept = InodeHandle.of(handle.type(), handle.body(), handle.mountId());
            assertEquals(handle.type(), kept.type());
            assertArrayEquals(handle.body(), kept.body());
            assertEquals(handle.mountId(), kept.mountId());
        } finally {
            Posix.close(fd);
        }
    }
}
