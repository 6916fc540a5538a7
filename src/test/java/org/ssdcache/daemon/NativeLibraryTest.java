package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

class NativeLibraryTest {
    private final LinkageError error = new UnsatisfiedLinkError("no FFI provider");

    @TempDir private Path directory;

    @Test
    void aDirectoryThatTakesNoFileIsNamed() {
        RefusedException e = NativeLibrary.notLoaded(directory.resolve("gone"), error);
        assertEquals(ExitCode.NO_SPACE, e.code());
        assertTrue(e.getMessage().contains(directory + "/gone ("), e.getMessage());
        assertSame(error, e.getCause());
    }

    @Test
    void otherwiseLoadingIsWhatFailed() throws IOException {
        RefusedException e = NativeLibrary.notLoaded(directory, error);
        assertEquals(ExitCode.FAILURE, e.code());
        assertTrue(e.getMessage().contains("noexec"), e.getMessage());
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void roomIsFound() throws IOException {
        assertTrue(NativeLibrary.hasRoomIn(directory));
    }
}
