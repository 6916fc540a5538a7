package org.ssdcache.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.testing.Caches;

/** Many more inodes known than descriptors for them. */
class BoundedDescriptorsTest {
    private static final Caller SELF =
            new Caller(Posix.effectiveUid(), Posix.effectiveGid(), 1, 022);
    private static final int KEPT = 8;
    private static final int MOST = 16;
    private static final int FILES = 100;

    @TempDir Path directory;
    @TempDir Path cacheDirectory;
    private BlockCache cache;
    private FileSystem files;
    private Inode root;

    @BeforeEach
    void open() throws IOException {
        cache = Caches.inMemory(cacheDirectory);
    }

    @AfterEach
    void close() throws IOException {
        if (files != null) {
            files.close();
        }
        cache.close();
    }

    private void serve(boolean byHandle) throws IOException {
        int fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        DescriptorLimits limits = new DescriptorLimits(KEPT, MOST, byHandle);
        files = new FileSystem(fd, cache, new FileSystemOptions(false), limits);
        root = files.inode(1);
    }

    private void serveByHandle() throws IOException {
        int fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        InodeHandles handles = InodeHandles.tryWith(fd);
        boolean usable = handles.areUsable();
        handles.close();
        Posix.close(fd);
        assumeTrue(usable, "no file handles here");
        serve(true);
    }

    private static byte[] name(String text) {
        return Posix.name(text);
    }

    private List<Inode> lookUpMany() throws IOException {
        List<Inode> inodes = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            Files.writeString(directory.resolve("f" + i), "content " + i);
            inodes.add(files.lookup(root, name("f" + i)));
        }
        return inodes;
    }

    private String contentOf(Inode inode) throws IOException {
        OpenResult file = files.open(inode, OpenFlags.O_RDONLY);
        StringBuilder text = new StringBuilder();
        files.read(
                file.handle(),
                0,
                4096,
                1,
                (ByteBuffer data) -> text.append(StandardCharsets.UTF_8.decode(data)));
        files.release(file.handle());
        return text.toString();
    }

    private static int errnoOf(org.junit.jupiter.api.function.Executable call) {
        return assertThrows(ErrnoException.class, call).errno();
    }

    @Test
    void everyInodeStaysUsable() throws IOException {
        serveByHandle();
        List<Inode> inodes = lookUpMany();
        assertEquals(FILES + 1, files.inodeCount());
        assertTrue(files.descriptorCount() <= KEPT, files.descriptorCount() + " held");
        for (int i = 0; i < FILES; i++) {
            assertEquals("content " + i, contentOf(inodes.get(i)));
            assertSame(inodes.get(i), files.lookup(root, name("f" + i)));
        }
        assertTrue(files.descriptorCount() <= KEPT, files.descriptorCount() + " held");
    }

    @Test
    void forgottenInodesLeaveNoDescriptors() throws IOException {
        serveByHandle();
        for (Inode inode : lookUpMany()) {
            files.forget(inode, 1);
        }
        assertEquals(1, files.inodeCount());
        assertTrue(files.descriptorCount() <= 1, files.descriptorCount() + " held");
    }

    @Test
    void namesAreMadeAndMovedInReopenedDirectories() throws IOException {
        serveByHandle();
        Inode from = files.mkdir(root, name("from"), 0755, SELF);
        Inode to = files.mkdir(root, name("to"), 0755, SELF);
        Inode link = files.symlink(name("target"), root, name("link"), SELF);
        Files.writeString(directory.resolve("from/a"), "moved");
        Inode a = files.lookup(from, name("a"));
        lookUpMany();
        assertSame(a, files.link(a, to, name("hard")));
        files.rename(from, name("a"), to, name("b"));
        assertSame(a, files.lookup(to, name("b")));
        assertEquals(2, files.getattr(a).links());
        assertEquals("moved", Files.readString(directory.resolve("to/b")));
        assertEquals("target", new String(files.readlink(link), 0, 6, StandardCharsets.UTF_8));
        files.unlink(to, name("hard"));
        files.setattr(a, new AttributeChange(AttributeChange.MODE, 0600, 0, 0, 0, 0, 0, 0, 0));
        assertEquals(0600, files.getattr(a).mode() & 07777);
    }

    @Test
    void whatLostItsLastNameKeepsItsDescriptor() throws IOException {
        serveByHandle();
        Inode gone = files.mkdir(root, name("gone"), 0755, SELF);
        Files.writeString(directory.resolve("unlinked"), "x");
        Files.writeString(directory.resolve("replaced"), "y");
        Files.writeString(directory.resolve("source"), "z");
        Inode unlinked = files.lookup(root, name("unlinked"));
        Inode replaced = files.lookup(root, name("replaced"));
        lookUpMany();
        files.rmdir(root, name("gone"));
        files.unlink(root, name("unlinked"));
        files.rename(root, name("source"), root, name("replaced"));
        for (int i = 0; i < FILES; i++) {
            files.getattr(files.lookup(root, name("f" + i)));
        }
        assertEquals(0, files.getattr(gone).links());
        assertEquals(0, files.getattr(unlinked).links());
        assertEquals(0, files.getattr(replaced).links());
        assertEquals("x", contentOf(unlinked));
        assertEquals("y", contentOf(replaced));
    }

    @Test
    void aNumberUsedAgainBehindTheMountIsAnotherInode() throws IOException {
        serveByHandle();
        Path file = directory.resolve("file");
        Files.writeString(file, "first");
        Inode first = files.lookup(root, name("file"));
        lookUpMany();
        Files.delete(file);
        Files.writeString(file, "second");
        Inode second = files.lookup(root, name("file"));
        assertNotSame(first, second);
        assertEquals("second", contentOf(second));
        assertEquals(Errno.ESTALE, errnoOf(() -> files.getattr(first)));
        files.forget(first, 1);
        assertSame(second, files.lookup(root, name("file")));
    }

    @Test
    void whereNothingCanBeReopenedIdleNamesAreToBeForgotten() throws Exception {
        serve(false);
        Files.createDirectory(directory.resolve("directory"));
        Inode sub = files.lookup(root, name("directory"));
        Files.writeString(directory.resolve("open"), "x");
        OpenResult open = files.open(files.lookup(root, name("open")), OpenFlags.O_RDONLY);
        CompletableFuture<List<KnownName>> chosen =
                CompletableFuture.supplyAsync(files::awaitIdleNames);
        for (int i = 0; i < KEPT; i++) {
            Files.writeString(directory.resolve("f" + i), "x");
            files.lookup(root, name("f" + i));
        }
        List<String> names = new ArrayList<>();
        for (KnownName known : chosen.get(30, TimeUnit.SECONDS)) {
            assertEquals(1, known.parentNumber());
            names.add(new String(known.name(), 0, 2, StandardCharsets.UTF_8));
        }
        assertFalse(names.isEmpty());
        assertTrue(names.stream().allMatch(name -> name.startsWith("f")), names.toString());
        files.release(open.handle());
        files.forget(sub, 1);
    }

    @Test
    void theLastResortIsToRefuse() throws IOException {
        serve(false);
        files.stopForgetting();
        List<Inode> known = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            Files.writeString(directory.resolve("f" + i), "x");
        }
        for (int i = 0; i < MOST - 1; i++) {
            known.add(files.lookup(root, name("f" + i)));
        }
        assertEquals(Errno.ENFILE, errnoOf(() -> files.lookup(root, name("f" + (MOST - 1)))));
        assertSame(known.get(0), files.lookup(root, name("f0")));
        files.forget(known.get(1), 1);
        assertNotSame(null, files.lookup(root, name("f" + (MOST - 1))));
    }

    @Test
    void awaitingEndsWhenItIsStopped() throws Exception {
        serve(false);
        CompletableFuture<List<KnownName>> chosen =
                CompletableFuture.supplyAsync(files::awaitIdleNames);
        files.stopForgetting();
        assertEquals(List.of(), chosen.get(30, TimeUnit.SECONDS));
    }
}
