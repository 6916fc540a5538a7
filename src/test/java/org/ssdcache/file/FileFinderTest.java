package org.ssdcache.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.cache.FileOpener.OpenedFile;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.testing.Caches;

class FileFinderTest {
    private static final Caller SELF =
            new Caller(Posix.effectiveUid(), Posix.effectiveGid(), 1, 022);

    @TempDir Path directory;
    @TempDir Path cacheDirectory;
    private BlockCache cache;
    private FileSystem files;
    private Inode root;
    private FileFinder finder;

    @BeforeEach
    void open() throws IOException {
        cache = Caches.inMemory(cacheDirectory);
        Files.createDirectories(directory.resolve("a/b"));
        Files.createDirectories(directory.resolve("c"));
        serve(true);
    }

    private void serve(boolean byHandle) throws IOException {
        int fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        DescriptorLimits limits = new DescriptorLimits(100, 200, byHandle);
        files = new FileSystem(fd, cache, new FileSystemOptions(true), limits);
        root = files.inode(1);
        finder = files.finder();
    }

    @AfterEach
    void close() throws IOException {
        files.close();
        cache.close();
    }

    private static byte[] name(String text) {
        return Posix.name(text);
    }

    /** What the cache keeps of a file. */
    private record Kept(FileId id, FileLocator locator) {}

    /** A file that the kernel does not know. */
    private Kept keep(String path, String content) throws IOException {
        Files.writeString(directory.resolve(path), content);
        Inode at = root;
        for (Path part : Path.of(path)) {
            at = files.lookup(at, name(part.toString()));
        }
        Kept kept = new Kept(at.fileId(), at.locator());
        files.forget(at, 1);
        return kept;
    }

    private String contentOf(Kept kept) throws IOException {
        OpenedFile file = finder.open(kept.id(), kept.locator());
        if (file == null) {
            return null;
        }
        try (var data = file.data()) {
            ByteBuffer bytes = ByteBuffer.allocateDirect(100);
            int lengthBytes = data.read(bytes, 0);
            assertEquals(lengthBytes, file.facts().facts().sizeBytes());
            data.write(ByteBuffer.allocateDirect(1).put((byte) '!').flip(), lengthBytes);
            data.truncate(lengthBytes);
            return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
        }
    }

    private Kept keepWithHandle(String path, String content) throws IOException {
        Kept kept = keep(path, content);
        assumeTrue(!kept.locator().isNone(), "no file handles here");
        return kept;
    }

    private static Kept withoutHandle(Kept kept) {
        return new Kept(kept.id(), FileLocator.NONE);
    }

    @Test
    void aHandleFindsAFileWhereverItWent() throws IOException {
        Kept kept = keepWithHandle("a/b/file", "text");
        Files.move(directory.resolve("a/b/file"), directory.resolve("c/moved"));
        assertEquals("text", contentOf(kept));
        assertEquals("text", Files.readString(directory.resolve("c/moved")));
    }

    @Test
    void aHandleIsGoodInALaterMount() throws IOException {
        Kept kept = keepWithHandle("a/file", "text");
        files.close();
        serve(true);
        assertEquals("text", contentOf(kept));
    }

    @Test
    void aHandleTellsThatAFileIsGone() throws IOException {
        Kept kept = keepWithHandle("file", "text");
        Files.delete(directory.resolve("file"));
        assertNull(contentOf(kept));
        Files.writeString(directory.resolve("again"), "other");
        assertNull(contentOf(kept));
    }

    @Test
    void aHandleOfAnotherFileIsNotBelieved() throws IOException {
        Kept one = keepWithHandle("one", "one");
        Kept other = keepWithHandle("other", "other");
        assertEquals("one", contentOf(new Kept(one.id(), other.locator())));
        FileId later = new FileId(one.id().device(), one.id().inode(), one.id().generation() + 1);
        assertNull(contentOf(new Kept(later, one.locator())));
    }

    @Test
    void withoutHandlesTheTreeIsWalked() throws IOException {
        Kept kept = withoutHandle(keep("a/b/file", "text"));
        Files.createSymbolicLink(directory.resolve("a/loop"), directory);
        assertEquals("text", contentOf(kept));
        files.close();
        serve(false);
        assertEquals("text", contentOf(kept));
        Files.delete(directory.resolve("a/b/file"));
        assertNull(contentOf(kept));
    }

    @Test
    void aFileOutsideIsNotFoundThroughALink() throws IOException {
        Kept kept = withoutHandle(keep("a/file", "text"));
        Path outside = Files.createTempDirectory(directory.getParent(), "outside");
        try {
            Files.move(directory.resolve("a/file"), outside.resolve("file"));
            Files.createSymbolicLink(directory.resolve("link"), outside);
            Files.createSymbolicLink(directory.resolve("file"), outside.resolve("file"));
            assertNull(contentOf(kept));
        } finally {
            Files.delete(outside.resolve("file"));
            Files.delete(outside);
        }
    }

    @Test
    void anOpenFileIsFoundWithoutAName() throws IOException {
        OpenResult made = files.create(root, name("file"), 0644, OpenFlags.O_RDWR, SELF);
        Kept kept = new Kept(made.inode().fileId(), FileLocator.NONE);
        files.unlink(root, name("file"));
        assertEquals("", contentOf(kept));
        files.release(made.handle());
        files.forget(made.inode(), 1);
        assertNull(contentOf(kept));
    }

    @Test
    void aDirectoryThatCannotBeReadLeavesItOpen() throws IOException {
        assumeTrue(Posix.effectiveUid() == 0, "needs root");
        Kept gone = withoutHandle(keep("file", "x"));
        Files.delete(directory.resolve("file"));
        Path closed = directory.resolve("c");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        IOException failure =
                CompletableFuture.supplyAsync(
                                () -> {
                                    Posix.setFilesystemOwner(65534, 65534);
                                    return assertThrows(IOException.class, () -> contentOf(gone));
                                },
                                task -> new Thread(task).start())
                        .join();
        assertTrue(failure.getCause() instanceof ErrnoException, failure.toString());
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertNull(contentOf(gone));
    }

    @Test
    void namesAreFound() throws IOException {
        Kept one = keep("a/b/one", "x");
        Kept two = keep("two", "x");
        assertEquals("a/b/one", finder.pathOf(one.id()));
        assertEquals(
                Map.of(one.id(), "a/b/one", two.id(), "two"),
                finder.pathsOf(Set.of(one.id(), two.id())));
        Files.delete(directory.resolve("two"));
        assertNull(finder.pathOf(two.id()));
    }

    @Test
    void nothingIsFoundAfterTheEnd() throws IOException {
        Kept kept = keep("file", "x");
        files.close();
        assertThrows(IOException.class, () -> contentOf(kept));
        assertThrows(IOException.class, () -> finder.pathOf(kept.id()));
    }

    @Test
    void movesAreNoticed() throws IOException {
        NameMoves moves = new NameMoves();
        long before = moves.now();
        assertTrue(moves.noneSince(before));
        moves.run(() -> assertFalse(moves.noneSince(moves.now())));
        assertFalse(moves.noneSince(before));
        assertTrue(moves.noneSince(moves.now()));
        assertThrows(
                ErrnoException.class,
                () ->
                        moves.run(
                                () -> {
                                    throw new ErrnoException(Errno.EIO, "");
                                }));
        assertTrue(moves.noneSince(moves.now()));
    }

    /** The kernel says the same of a deleted file and of one whose inode it cannot read. */
    @Test
    void aHandleThatIsStaleIsNoProof() throws IOException {
        Kept deleted = keepWithHandle("deleted", "x");
        Kept kept = keep("a/b/file", "text");
        Files.delete(directory.resolve("deleted"));
        assertEquals("text", contentOf(new Kept(kept.id(), deleted.locator())));
    }

    @Test
    void ofManyFilesThoseAreToldThatAreGone() throws IOException {
        Kept deleted = keep("c/deleted", "x");
        Kept there = keep("a/b/there", "x");
        Kept walked = withoutHandle(keep("a/walked", "x"));
        Kept walkedDeleted = withoutHandle(keep("other", "x"));
        Files.delete(directory.resolve("c/deleted"));
        Files.delete(directory.resolve("other"));
        Map<FileId, FileLocator> all = new HashMap<>();
        for (Kept kept : List.of(deleted, there, walked, walkedDeleted)) {
            all.put(kept.id(), kept.locator());
        }
        assertEquals(Set.of(deleted.id(), walkedDeleted.id()), finder.gone(all));
    }
}
