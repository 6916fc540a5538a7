package org.ssdcache.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.block.FileId;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.cache.FileCache;
import org.ssdcache.io.DirectBuffers;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.testing.Caches;

/** The layer below FUSE, called as the kernel would call it, on a directory of the machine. */
class FileSystemTest {
    private static final Caller SELF =
            new Caller(Posix.effectiveUid(), Posix.effectiveGid(), 1, 022);

    @TempDir Path directory;
    @TempDir Path cacheDirectory;
    private BlockCache cache;
    private FileSystem files;
    private Inode root;

    @BeforeEach
    void open() throws IOException {
        files = serve(true);
        root = files.inode(1);
    }

    private FileSystem serve(boolean inPlace) throws IOException {
        int fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        cache = Caches.inMemory(cacheDirectory);
        return new FileSystem(fd, cache, new FileSystemOptions(inPlace));
    }

    @AfterEach
    void close() throws IOException {
        files.close();
        cache.close();
    }

    private static byte[] name(String text) {
        return Posix.name(text);
    }

    private OpenResult create(String name, String content) throws IOException {
        OpenResult result = files.create(root, name(name), 0644, OpenFlags.O_RDWR, SELF);
        write(result, content, 0);
        return result;
    }

    private void write(OpenResult file, String content, long offset) throws IOException {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        ByteBuffer source = DirectBuffers.allocateAligned(bytes.length).put(bytes).flip();
        files.write(file.handle(), source, offset, 1);
    }

    private String read(OpenResult file, long offset, int lengthBytes) throws IOException {
        StringBuilder text = new StringBuilder();
        files.read(
                file.handle(),
                offset,
                lengthBytes,
                1,
                data -> text.append(StandardCharsets.UTF_8.decode(data)));
        return text.toString();
    }

    private void assertErrno(int errno, Executable call) {
        assertEquals(errno, assertThrows(ErrnoException.class, call).errno());
    }

    @Test
    void aMissingNameIsNull() throws IOException {
        assertNull(files.lookup(root, name("nothing")));
    }

    @Test
    void hardLinksAreOneInode() throws IOException {
        OpenResult a = create("a", "text");
        Inode b = files.link(a.inode(), root, name("b"));
        assertSame(a.inode(), b);
        assertSame(b, files.lookup(root, name("b")));
        assertEquals(2, files.getattr(b).links());
    }

    @Test
    void anInodeIsForgottenWithItsLastReference() throws IOException {
        Files.writeString(directory.resolve("f"), "x");
        Inode first = files.lookup(root, name("f"));
        assertSame(first, files.lookup(root, name("f")));
        files.forget(first, 1);
        assertSame(first, files.inode(first.number()));
        files.forget(first, 1);
        assertErrno(Errno.ESTALE, () -> files.inode(first.number()));
        Inode again = files.lookup(root, name("f"));
        assertEquals(first.number(), again.number());
        assertNotEquals(first.generation(), again.generation());
        assertEquals(first.fileId(), again.fileId());
    }

    @Test
    void aNewFileWithTheInodeNumberOfADeletedOneIsAnotherFile() throws IOException {
        Files.writeString(directory.resolve("f"), "x");
        Inode first = files.lookup(root, name("f"));
        files.unlink(root, name("f"));
        files.forget(first, 1);
        Files.writeString(directory.resolve("g"), "x");
        assertNotEquals(first.fileId(), files.lookup(root, name("g")).fileId());
    }

    @Test
    void anOpenFileSurvivesItsNameAndItsDirectory() throws IOException {
        Inode sub = files.mkdir(root, name("database"), 0755, SELF);
        OpenResult table = files.create(sub, name("table"), 0644, OpenFlags.O_RDWR, SELF);
        files.unlink(sub, name("table"));
        files.rmdir(root, name("database"));
        write(table, "still here", 0);
        assertEquals("here", read(table, 6, 100));
        assertEquals(0, files.getattr(table.inode()).links());
        files.setattr(table.inode(), size(5));
        assertEquals(5, files.getattr(table.inode()).sizeBytes());
        files.fsync(table.handle(), false);
        files.release(table.handle());
    }

    @Test
    void aNameIsDurableWithTheNextSyncOfItsFile() throws IOException {
        OpenResult file = create("f", "x");
        assertNameBecomesDurable(file);
        files.rename(root, name("f"), root, name("g"));
        assertNameBecomesDurable(file);
        files.link(file.inode(), root, name("h"));
        assertNameBecomesDurable(file);
        assertErrno(Errno.ENOENT, () -> files.rename(root, name("f"), root, name("i")));
        assertTrue(namesAreDurable(file.inode()));
    }

    private void assertNameBecomesDurable(OpenResult file) throws IOException {
        assertFalse(namesAreDurable(file.inode()));
        files.fsync(file.handle(), true);
        assertTrue(namesAreDurable(file.inode()));
    }

    private static boolean namesAreDurable(Inode inode) {
        return inode.names().areDurable(inode.names().count());
    }

    @Test
    void renameOverAnOpenFileKeepsBoth() throws IOException {
        OpenResult old = create("old", "old");
        OpenResult fresh = create("fresh", "fresh");
        files.rename(root, name("fresh"), root, name("old"));
        assertEquals("old", read(old, 0, 10));
        assertSame(fresh.inode(), files.lookup(root, name("old")));
        assertNull(files.lookup(root, name("fresh")));
    }

    @Test
    void aClosedFileIsTruncated() throws IOException {
        files.release(create("f", "0123456789").handle());
        Inode inode = files.lookup(root, name("f"));
        assertEquals(4, files.setattr(inode, size(4)).sizeBytes());
        assertEquals("0123", Files.readString(directory.resolve("f")));
    }

    private static AttributeChange size(long sizeBytes) {
        return new AttributeChange(AttributeChange.SIZE, 0, 0, 0, sizeBytes, 0, 0, 0, 0);
    }

    @Test
    void aTimeThatIsNotAskedForStays() throws IOException {
        OpenResult file = create("f", "x");
        int both = AttributeChange.ACCESS_TIME | AttributeChange.MODIFY_TIME;
        files.setattr(file.inode(), new AttributeChange(both, 0, 0, 0, 0, 1, 2, 3, 4));
        int access = AttributeChange.ACCESS_TIME | AttributeChange.ACCESS_TIME_NOW;
        var status =
                files.setattr(file.inode(), new AttributeChange(access, 0, 0, 0, 0, 0, 0, 0, 0));
        assertEquals(3_000_000_004L, status.modifiedNanos());
        assertTrue(status.accessSeconds() > 1_000_000_000L);
    }

    @Test
    void fallocateKnowsItsModes() throws IOException {
        OpenResult file = create("f", "x".repeat(8192));
        files.fallocate(file.handle(), 1, 0, 1 << 20);
        assertEquals(8192, files.getattr(file.inode()).sizeBytes());
        files.fallocate(file.handle(), 3, 0, 4096);
        assertEquals("\0\0x", read(file, 4094, 3));
        files.fallocate(file.handle(), 16, 8192, 8);
        assertEquals(8200, files.getattr(file.inode()).sizeBytes());
        for (int mode : new int[] {2, 8, 32, 64, 1 << 30}) {
            assertErrno(Errno.EOPNOTSUPP, () -> files.fallocate(file.handle(), mode, 0, 4096));
        }
    }

    @Test
    void anUnknownHandleIsRefused() {
        assertErrno(Errno.EBADF, () -> files.release(77));
        assertErrno(Errno.EBADF, () -> files.readdir(77, 0, (i, o, t, n) -> true));
    }

    @Test
    void pagesAreKeptUnlessSomebodyElseChangedTheFile() throws IOException {
        files.close();
        files = serve(false);
        root = files.inode(1);
        OpenResult made = create("f", "ours");
        files.release(made.handle());
        assertTrue(reopenKeepsPages(made.inode()));
        files.setattr(
                made.inode(), new AttributeChange(AttributeChange.MODE, 0600, 0, 0, 0, 0, 0, 0, 0));
        assertTrue(reopenKeepsPages(made.inode()), "our own chmod is no foreign change");
        Files.writeString(directory.resolve("f"), "theirs");
        assertFalse(reopenKeepsPages(made.inode()));
        assertTrue(reopenKeepsPages(made.inode()));
    }

    private boolean reopenKeepsPages(Inode inode) throws IOException {
        OpenResult result = files.open(inode, OpenFlags.O_RDONLY);
        files.release(result.handle());
        return result.keepPages();
    }

    @Test
    void aDirectoryIsReadInPiecesAndFromAnyOffset() throws IOException {
        for (int i = 0; i < 1500; i++) {
            Files.createFile(directory.resolve("a rather long name for a file " + i));
        }
        int handle = files.opendir(root);
        List<String> names = new ArrayList<>();
        List<Long> offsets = new ArrayList<>();
        long offset = 0;
        int before;
        do {
            before = names.size();
            int limit = before + 7;
            files.readdir(
                    handle,
                    offset,
                    (inode, next, type, bytes) -> {
                        if (names.size() == limit) {
                            return false;
                        }
                        names.add(StandardCharsets.UTF_8.decode(bytes).toString());
                        offsets.add(next);
                        return true;
                    });
            offset = offsets.get(offsets.size() - 1);
        } while (names.size() > before);
        assertEquals(1502, names.size());
        assertEquals(1502, new HashSet<>(names).size());
        List<String> one = new ArrayList<>();
        files.readdir(
                handle,
                offsets.get(700),
                (inode, next, type, bytes) -> {
                    one.add(StandardCharsets.UTF_8.decode(bytes).toString());
                    return false;
                });
        assertEquals(names.get(701), one.get(0));
        files.fsyncdir(handle, true);
        files.releasedir(handle);
    }

    @Test
    void linksLeadNowhere() throws IOException {
        Path outside = Files.createTempFile("outside", "");
        try {
            byte[] target = name(outside.toString());
            Inode link = files.symlink(target, root, name("link"), SELF);
            assertArrayEquals(target, files.readlink(link));
            assertErrno(
                    Errno.ELOOP,
                    () -> files.create(root, name("link"), 0644, OpenFlags.O_RDWR, SELF));
        } finally {
            Files.delete(outside);
        }
    }

    @Test
    void whatAnEarlierOpenerLeftUnsyncedIsDurableWithTheNextSync() throws IOException {
        OpenResult file = create("f", "x");
        files.fsync(file.handle(), false);
        write(file, "y", 0);
        files.release(file.handle());
        assertNameBecomesDurable(files.open(file.inode(), OpenFlags.O_RDWR));
    }

    @Test
    void attributesAreDurableWithTheNextSyncOfTheirFile() throws IOException {
        OpenResult file = create("f", "x");
        files.fsync(file.handle(), false);
        files.setattr(
                file.inode(), new AttributeChange(AttributeChange.MODE, 0600, 0, 0, 0, 0, 0, 0, 0));
        assertNameBecomesDurable(file);
        files.release(file.handle());
        files.setattr(file.inode(), size(0));
        assertFalse(namesAreDurable(file.inode()));
    }

    /** As ext4 does it for programs that do not sync before. */
    @Test
    void whatTakesThePlaceOfAFileIsDurableBefore() throws IOException {
        List<FileId> secured = new ArrayList<>();
        files.close();
        int fd = Posix.open(directory.toString(), OpenFlags.O_DIRECTORY, 0);
        files = new FileSystem(fd, recording(secured), new FileSystemOptions(true));
        root = files.inode(1);
        OpenResult old = create("old", "old");
        OpenResult fresh = create("fresh", "fresh");
        files.rename(root, name("fresh"), root, name("other"));
        assertEquals(List.of(), secured);
        files.rename(root, name("other"), root, name("old"));
        assertEquals(List.of(fresh.inode().fileId()), secured);
        secured.clear();
        files.setattr(old.inode(), size(0));
        write(old, "new", 0);
        assertEquals(List.of(), secured);
        files.flush(old.handle());
        files.flush(old.handle());
        assertEquals(List.of(old.inode().fileId()), secured);
    }

    /** A cache that takes down which files were secured. */
    private FileCache recording(List<FileId> secured) {
        return (FileCache)
                Proxy.newProxyInstance(
                        FileCache.class.getClassLoader(),
                        new Class<?>[] {FileCache.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("secure")) {
                                secured.add((FileId) arguments[0]);
                            }
                            return method.invoke(cache, arguments);
                        });
    }
}
