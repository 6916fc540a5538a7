package org.ssdcache.mount;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.file.FileSystem;
import org.ssdcache.file.FileSystemOptions;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.testing.Caches;

/** A real mount over its own backing directory, used through the kernel by this very process. */
@Tag("mount")
@Timeout(60)
class MountSessionTest {
    private static final long SEED = 20260101;

    @TempDir Path directory;
    private FileSystem files;
    @TempDir Path cacheDirectory;

    private BlockCache cache;
    private MountSession session;
    private Thread server;

    @BeforeEach
    void mount() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "no /dev/fuse");
        assumeTrue(Posix.effectiveUid() == 0, "not root");
        int fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        cache = Caches.inMemory(cacheDirectory);
        files = new FileSystem(fd, cache, new FileSystemOptions(true));
        String path = directory.toRealPath().toString();
        session = MountSession.mount(files, MountOptions.of(path, path, true));
        server = new Thread(session::serve);
        server.start();
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        if (session != null) {
            if (server.isAlive()) {
                session.unmount();
                server.join();
            }
            files.close();
            cache.close();
        }
    }

    private void endMount() throws IOException, InterruptedException {
        session.unmount();
        server.join();
    }

    @Test
    void whatIsWrittenThroughTheMountIsInTheBacking() throws Exception {
        System.out.println("seed " + SEED);
        byte[] content = new byte[1_000_003];
        new Random(SEED).nextBytes(content);
        Files.write(directory.resolve("file"), content, StandardOpenOption.CREATE);
        assertArrayEquals(content, Files.readAllBytes(directory.resolve("file")));
        endMount();
        assertArrayEquals(content, Files.readAllBytes(directory.resolve("file")));
    }

    @Test
    void directoriesAreSyncedAndListed() throws IOException {
        Files.createDirectory(directory.resolve("d"));
        for (int i = 0; i < 300; i++) {
            Files.createFile(directory.resolve("d").resolve("file " + i));
        }
        try (FileChannel channel = FileChannel.open(directory.resolve("d"))) {
            channel.force(true);
            channel.force(false);
        }
        try (Stream<Path> list = Files.list(directory.resolve("d"))) {
            assertEquals(300, list.distinct().count());
        }
        assertThrows(IOException.class, () -> Files.delete(directory.resolve("d")));
    }

    @Test
    void anOpenFileKeepsTheMountBusy() throws IOException {
        Path path = directory.resolve("open");
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            Files.delete(path);
            file.writeUTF("deleted but open");
            ErrnoException e = assertThrows(ErrnoException.class, () -> session.unmount());
            assertEquals(Errno.EBUSY, e.errno());
            file.seek(0);
            assertEquals("deleted but open", file.readUTF());
        }
    }

    @Test
    void afterTheEndNothingElseIsUnmounted() throws Exception {
        Path path = directory.toRealPath();
        assertTrue(MountTable.read().topAt(path).orElseThrow().isOurs());
        endMount();
        assertFalse(MountTable.read().topAt(path).isPresent());
        ErrnoException e = assertThrows(ErrnoException.class, () -> session.unmount());
        assertEquals(Errno.EINVAL, e.errno());
    }
}
