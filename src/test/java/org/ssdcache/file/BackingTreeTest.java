package org.ssdcache.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.block.FileId;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

class BackingTreeTest {
    @TempDir private Path root;

    private Map<String, FileId> walk(String below) throws IOException {
        Map<String, FileId> found = new HashMap<>();
        int fd = Posix.open(root.toString(), OpenFlags.O_RDONLY, 0);
        int start = Posix.open(root.resolve(below).toString(), OpenFlags.O_PATH, 0);
        try {
            new BackingTree(new FileIds(Posix.status(fd)), found::put).walk(start, below);
        } finally {
            Posix.close(start);
            Posix.close(fd);
        }
        return found;
    }

    @Test
    void everyRegularFileIsFoundOnce() throws IOException {
        Files.createDirectories(root.resolve("a/b/c"));
        Files.writeString(root.resolve("top"), "1");
        Files.writeString(root.resolve("a/b/c/deep"), "1");
        Files.createLink(root.resolve("a/same"), root.resolve("top"));
        Files.createSymbolicLink(root.resolve("a/loop"), root);
        Map<String, FileId> found = walk("");
        assertEquals(Set.of("top", "a/b/c/deep", "a/same"), found.keySet());
        assertEquals(found.get("top"), found.get("a/same"));
        assertEquals(Set.of("a/b/c/deep"), walk("a/b").keySet());
        assertEquals(Set.of("top"), walk("top").keySet());
    }

    @Test
    void aDirectoryMayBeLargerThanABatch() throws IOException {
        Set<String> expected = new HashSet<>();
        for (int i = 0; i < 2500; i++) {
            Files.createFile(root.resolve("f" + i));
            expected.add("f" + i);
        }
        assertEquals(expected, walk("").keySet());
    }

    @Test
    void aDirectoryThatCannotBeListedIsAnError() throws IOException {
        int fd = Posix.open(root.toString(), OpenFlags.O_RDONLY, 0);
        FileIds ids = new FileIds(Posix.status(fd));
        Posix.close(fd);
        BackingTree tree = new BackingTree(ids, (path, id) -> {});
        assertThrows(ErrnoException.class, () -> tree.walk(fd, ""));
    }
}
