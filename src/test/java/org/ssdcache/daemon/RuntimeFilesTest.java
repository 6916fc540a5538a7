package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeFilesTest {
    @TempDir private Path directory;

    private RuntimeFiles files() {
        return new RuntimeFiles(directory, Path.of("/srv/data"));
    }

    @Test
    void theSocketOfADeadDaemonIsRemoved() throws IOException {
        files().take().orElseThrow().close();
        Files.createFile(files().socket());
        files().removeStaleSocket();
        assertFalse(Files.exists(files().socket()));
    }

    @Test
    void theSocketOfALivingDaemonStays() throws IOException {
        try (RuntimeFiles.HeldLock living = files().take().orElseThrow()) {
            Files.createFile(files().socket());
            files().removeStaleSocket();
            assertTrue(Files.exists(files().socket()), living.toString());
        }
    }

    @Test
    void noSocketNoLock() throws IOException {
        files().removeStaleSocket();
        assertFalse(files().daemonLives());
        try (var entries = Files.list(directory)) {
            assertTrue(entries.findAny().isEmpty());
        }
    }
}
