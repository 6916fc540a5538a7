package org.ssdcache.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.file.DescriptorLimits;
import org.ssdcache.file.FileSystem;
import org.ssdcache.file.FileSystemOptions;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.testing.Caches;

/**
 * A tree of three times more files than there may be descriptors, through a real mount; once with
 * inodes that are opened again, once with a kernel that is asked to forget them.
 */
@Tag("mount")
@Timeout(120)
class ManyFilesTest {
    private static final int MOST = 300;
    private static final int DIRECTORIES = 10;
    private static final int FILES_EACH = 3 * MOST / DIRECTORIES;

    @TempDir Path directory;
    @TempDir Path cacheDirectory;
    private FileSystem files;
    private BlockCache cache;
    private MountSession session;
    private Thread server;

    @BeforeEach
    void fill() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "no /dev/fuse");
        assumeTrue(Posix.effectiveUid() == 0, "not root");
        for (int d = 0; d < DIRECTORIES; d++) {
            Path sub = Files.createDirectory(directory.resolve("d" + d));
            for (int f = 0; f < FILES_EACH; f++) {
                Files.writeString(sub.resolve("f" + f), d + "/" + f);
            }
        }
    }

    private void mount(boolean byHandle) throws IOException {
        int fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        cache = Caches.inMemory(cacheDirectory);
        DescriptorLimits limits = new DescriptorLimits(MOST / 3, MOST, byHandle);
        files = new FileSystem(fd, cache, new FileSystemOptions(true), limits);
        String path = directory.toRealPath().toString();
        session = MountSession.mount(files, MountOptions.of(path, path, true));
        server = new Thread(session::serve);
        server.start();
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        if (session != null) {
            session.unmount();
            server.join();
            files.close();
            cache.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTreeLargerThanTheLimitWorks(boolean byHandle) throws IOException {
        mount(byHandle);
        for (int round = 0; round < 2; round++) {
            walk();
        }
        for (int d = 0; d < DIRECTORIES; d++) {
            Path sub = directory.resolve("d" + d);
            Files.createLink(sub.resolve("hard"), sub.resolve("f0"));
            Files.move(sub.resolve("f1"), sub.resolve("moved"));
            Files.writeString(sub.resolve("f2"), "changed " + d);
            Files.delete(sub.resolve("f3"));
        }
        for (int d = 0; d < DIRECTORIES; d++) {
            Path sub = directory.resolve("d" + d);
            assertEquals(
                    Files.readAttributes(sub.resolve("f0"), "unix:ino"),
                    Files.readAttributes(sub.resolve("hard"), "unix:ino"));
            assertEquals(2, Files.getAttribute(sub.resolve("hard"), "unix:nlink"));
            assertEquals(d + "/0", Files.readString(sub.resolve("hard")));
            assertEquals(d + "/1", Files.readString(sub.resolve("moved")));
            assertEquals("changed " + d, Files.readString(sub.resolve("f2")));
            assertFalse(Files.exists(sub.resolve("f3")));
        }
        assertTrue(files.descriptorCount() <= MOST, files.descriptorCount() + " held");
    }

    private void walk() throws IOException {
        for (int d = 0; d < DIRECTORIES; d++) {
            Path sub = directory.resolve("d" + d);
            try (Stream<Path> list = Files.list(sub)) {
                assertEquals(FILES_EACH, list.filter(Files::isRegularFile).count());
            }
            for (int f = 0; f < FILES_EACH; f++) {
                assertEquals(d + "/" + f, Files.readString(sub.resolve("f" + f)));
            }
        }
    }
}
