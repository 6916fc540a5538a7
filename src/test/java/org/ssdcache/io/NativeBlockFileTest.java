package org.ssdcache.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeBlockFileTest {
    @TempDir Path directory;
    private NativeBlockFile file;

    @BeforeEach
    void open() throws IOException {
        String path = directory.resolve("file").toString();
        file = NativeBlockFile.open(path, OpenFlags.O_RDWR | OpenFlags.O_CREAT, 0600);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    @Test
    void whatIsWrittenIsReadAtTheSameOffset() throws IOException {
        file.write(filled(5000, 7), 100);
        file.syncData();
        file.sync();
        ByteBuffer target = DirectBuffers.allocateAligned(5000);
        assertEquals(5000, file.read(target, 100));
        assertEquals(filled(5000, 7), target.flip());
        assertEquals(5100, file.sizeBytes());
    }

    @Test
    void aReadAtTheEndIsShort() throws IOException {
        file.write(filled(10, 1), 0);
        ByteBuffer target = DirectBuffers.allocateAligned(100);
        target.position(20);
        assertEquals(4, file.read(target, 6));
        assertEquals(24, target.position());
        assertEquals(0, file.read(target, 10));
    }

    @Test
    void truncateAndPunchLeaveZeros() throws IOException {
        file.write(filled(12288, 3), 0);
        file.truncate(100);
        file.truncate(12288);
        file.allocate(3, 0, 4096);
        ByteBuffer target = DirectBuffers.allocateAligned(12288);
        file.read(target, 0);
        assertEquals(filled(12288, 0), target.flip());
        file.forgetPages(0, 12288);
    }

    @Test
    void theModificationTimeIsSetAlone() throws IOException {
        Posix.setTimes(file.fd(), 11, 22, 33, 44);
        file.setModified(55_000_000_066L);
        FileStatus status = Posix.status(file.fd());
        assertEquals(55_000_000_066L, status.modifiedNanos());
        assertEquals(11, status.accessSeconds());
        assertEquals(22, status.accessNanos());
        file.setModified(-1);
        status = Posix.status(file.fd());
        assertEquals(-1, status.modifySeconds());
        assertEquals(999_999_999, status.modifyNanos());
    }

    @Test
    void failuresCarryTheErrnoAndTheName() throws IOException {
        String path = directory.resolve("file").toString();
        try (NativeBlockFile readOnly = NativeBlockFile.open(path, OpenFlags.O_RDONLY, 0)) {
            ErrnoException e =
                    assertThrows(ErrnoException.class, () -> readOnly.write(filled(1, 1), 0));
            assertEquals(Errno.EBADF, e.errno());
            assertTrue(e.getMessage().contains(path), e.getMessage());
        }
        ErrnoException missing =
                assertThrows(
                        ErrnoException.class,
                        () -> NativeBlockFile.open(path + "-not", OpenFlags.O_RDONLY, 0));
        assertEquals(Errno.ENOENT, missing.errno());
    }

    @Test
    void aHeapBufferIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> file.read(ByteBuffer.allocate(10), 0));
    }

    @Test
    void closingTwiceDoesNotCloseSomebodyElsesDescriptor() throws IOException {
        file.close();
        String other = directory.resolve("other").toString();
        try (NativeBlockFile second =
                NativeBlockFile.open(other, OpenFlags.O_RDWR | OpenFlags.O_CREAT, 0600)) {
            assertEquals(file.fd(), second.fd(), "the test needs the number to be used again");
            file.close();
            second.write(filled(1, 1), 0);
        }
    }

    private static ByteBuffer filled(int lengthBytes, int value) {
        ByteBuffer buffer = DirectBuffers.allocateAligned(lengthBytes);
        while (buffer.hasRemaining()) {
            buffer.put((byte) value);
        }
        return buffer.flip();
    }

    @Test
    void writebackThatCannotBeStartedIsAnError() {
        assertThrows(ErrnoException.class, () -> file.startWriteback(-1, -1));
    }
}
