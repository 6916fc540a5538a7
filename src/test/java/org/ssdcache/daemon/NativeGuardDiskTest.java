package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

class NativeGuardDiskTest {
    @TempDir Path directory;
    private Path backing;
    private Path marker;
    private Path fresh;
    private Path record;
    private NativeGuardDisk disk;

    @BeforeEach
    void open() throws IOException {
        backing = Files.createDirectory(directory.resolve("backing"));
        marker = backing.resolve("SSDCACHE-DIRTY.txt");
        fresh = backing.resolve("SSDCACHE-DIRTY.txt.new");
        record = Files.createDirectory(directory.resolve("cache")).resolve("guard.properties");
        int fd = Posix.open(backing.toString(), OpenFlags.O_DIRECTORY, 0);
        disk = new NativeGuardDisk(fd, record);
    }

    @AfterEach
    void close() throws IOException {
        disk.setMode(0700);
        disk.close();
    }

    private static int modeOf(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777;
    }

    @Test
    void modeAndMarkerAreThoseOfTheDirectory() throws IOException {
        disk.setMode(02751);
        assertEquals(02751, disk.mode());
        assertEquals(02751, modeOf(backing));
        assertEquals(Optional.empty(), disk.marker());
        disk.replaceMarker("first, and longer");
        disk.replaceMarker("text \u00e4");
        disk.syncBacking();
        assertEquals(Optional.of("text \u00e4"), disk.marker());
        assertEquals("text \u00e4", Files.readString(marker));
        assertEquals(0644, modeOf(marker));
        disk.removeMarker();
        disk.removeMarker();
        assertEquals(Optional.empty(), disk.marker());
    }

    @Test
    void theRecordIsKeptBesideTheCache() throws IOException {
        assertEquals(Optional.empty(), disk.record());
        disk.removeRecord();
        disk.replaceRecord("one");
        disk.replaceRecord("two");
        assertEquals(Optional.of("two"), disk.record());
        assertEquals("two", Files.readString(record));
        disk.removeRecord();
        assertFalse(Files.exists(record));
    }

    @Test
    void whatAnInterruptedReplacementLeftIsRemoved() throws IOException {
        Files.writeString(fresh, "half of a mark");
        assertEquals(Optional.empty(), disk.marker());
        disk.removeMarker();
        assertFalse(Files.exists(fresh));
        Files.writeString(fresh, "half of a marker, and somewhat longer");
        disk.replaceMarker("marker");
        assertEquals("marker", Files.readString(marker));
        assertFalse(Files.exists(fresh));
    }

    @Test
    void nothingIsWrittenIntoSomebodyElsesFile() throws IOException {
        Path precious = Files.writeString(directory.resolve("precious"), "precious");
        Files.createLink(fresh, precious);
        disk.replaceMarker("marker");
        Files.createSymbolicLink(fresh, precious);
        disk.replaceMarker("marker");
        assertEquals("precious", Files.readString(precious));
        assertEquals("marker", Files.readString(marker));
    }

    @Test
    void whatIsNoFileIsNoMarker() throws IOException {
        Path target = Files.writeString(directory.resolve("target"), "secret");
        Files.createSymbolicLink(marker, target);
        assertFalse(DirtyMarker.parse(disk.marker().orElseThrow()).isPresent());
        Files.delete(marker);
        Files.createDirectory(marker);
        assertFalse(DirtyMarker.parse(disk.marker().orElseThrow()).isPresent());
        Files.delete(marker);
        Posix.mknodAt(OpenFlags.AT_FDCWD, Posix.name(marker.toString()), 0010600, 0);
        assertFalse(DirtyMarker.parse(disk.marker().orElseThrow()).isPresent());
        Files.delete(marker);
        Files.write(marker, new byte[200_000]);
        assertTrue(disk.marker().orElseThrow().length() <= 1 << 16);
    }
}
