package org.ssdcache.file;

import java.io.IOException;
import org.ssdcache.block.FileId;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/**
 * Every regular file in a directory of the backing, reached by descriptors, so that a mount in
 * place is not in the way. Follows no symbolic link; what goes meanwhile is left out.
 */
public final class BackingTree {
    private final FileIds ids;
    private final Visitor visitor;

    /** Told of each file. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * One regular file; a file with several names comes once for each.
         *
         * @param path below where the walk began; bytes that are not UTF-8 are replaced
         */
        void file(String path, FileId id);
    }

    public BackingTree(FileIds ids, Visitor visitor) {
        this.ids = ids;
        this.visitor = visitor;
    }

    /**
     * Visits a file, or all files in a directory.
     *
     * @param fd what is walked; belongs to the caller
     * @param path how it is called; empty for the backing directory itself
     * @throws IOException also when some directory in it cannot be read
     */
    public void walk(int fd, String path) throws IOException {
        FileStatus status = Posix.status(fd);
        if (status.isRegular()) {
            visitor.file(path, ids.of(fd, status));
        } else if (status.isDirectory()) {
            walkDirectory(fd, path.isEmpty() ? "" : path + "/");
        }
    }

    private void walkDirectory(int fd, String prefix) throws IOException {
        TreeWalk tree =
                new TreeWalk(
                        (walk, directory, name, status) -> {
                            visit(prefix + walk.pathOf(name), directory, name);
                            return true;
                        });
        boolean unused = tree.run(Posix.reopen(fd, OpenFlags.O_RDONLY | OpenFlags.O_DIRECTORY));
        if (tree.failure() != null) {
            throw tree.failure();
        }
    }

    private void visit(String path, int directory, byte[] name) throws IOException {
        int fd = Posix.tryOpenAt(directory, name, OpenFlags.O_PATH | OpenFlags.O_NOFOLLOW);
        if (fd == -Errno.ENOENT) {
            return;
        }
        if (fd < 0) {
            throw new ErrnoException(-fd, path + ": " + Errno.describe(-fd));
        }
        try {
            visitor.file(path, ids.of(fd, Posix.status(fd)));
        } finally {
            Posix.close(fd);
        }
    }
}
