package org.ssdcache.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.file.BackingTree;
import org.ssdcache.file.FileIds;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FilesystemSync;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.mount.MountTable;

/**
 * The backing directory, opened before anything is mounted over it and locked against a second
 * daemon (invariant I11).
 */
final class BackingDirectory implements Closeable {
    private static final int LOCK_EX = 2;
    private static final int LOCK_NB = 4;

    /** Opening a FIFO for reading must not wait for a writer. */
    private static final int O_NONBLOCK = 0x800;

    private static final int O_SYNC_READ = OpenFlags.O_RDONLY | OpenFlags.O_NOFOLLOW | O_NONBLOCK;

    private final Path path;
    private final int fd;

    private BackingDirectory(Path path, int fd) {
        this.path = path;
        this.fd = fd;
    }

    static BackingDirectory open(Path path) throws IOException, RefusedException {
        int fd = Posix.open(path.toString(), OpenFlags.O_RDONLY | OpenFlags.O_DIRECTORY, 0);
        try {
            Posix.flock(fd, LOCK_EX | LOCK_NB);
            return new BackingDirectory(path, fd);
        } catch (ErrnoException e) {
            Posix.close(fd);
            if (e.errno() == Errno.EAGAIN) {
                throw new RefusedException(
                        ExitCode.BACKING_BUSY,
                        String.format(
                                "Another daemon uses the backing directory %s; see ssdcache"
                                        + " status.",
                                path),
                        e);
            }
            throw e;
        }
    }

    /** Another descriptor of the directory, owned by the caller. */
    int openAgain() throws IOException {
        return Posix.reopen(fd, OpenFlags.O_RDONLY | OpenFlags.O_DIRECTORY);
    }

    BackingIdentity identity() throws IOException {
        return BackingIdentity.of(fd);
    }

    /** Makes everything written so far durable, also on filesystems mounted below the directory. */
    void syncEverything() throws IOException {
        FilesystemSync.sync(fd);
        for (Path below : MountTable.read().below(path)) {
            syncFilesystemAt(path.relativize(below));
        }
    }

    private void syncFilesystemAt(Path relative) throws IOException {
        int directory =
                Posix.tryOpenAt(
                        fd, Posix.name(relative.toString()), O_SYNC_READ | OpenFlags.O_DIRECTORY);
        if (directory < 0) {
            return; // mounted on something that this directory does not show
        }
        try {
            FilesystemSync.sync(directory);
        } finally {
            Posix.close(directory);
        }
    }

    /**
     * Visits a file, or every file in a directory.
     *
     * @param relative without {@code ..}; empty for all
     * @throws ErrnoException also when there is no such file
     */
    void walk(String relative, BackingTree.Visitor visitor) throws IOException {
        byte[] name = Posix.name(relative.isEmpty() ? "." : relative);
        int start = Posix.openAt(fd, name, OpenFlags.O_PATH | OpenFlags.O_NOFOLLOW, 0);
        try {
            new BackingTree(new FileIds(Posix.status(fd)), visitor).walk(start, relative);
        } finally {
            Posix.close(start);
        }
    }

    /**
     * Makes a file durable; for a directory, everything.
     *
     * @param relative without {@code ..}
     * @throws ErrnoException also when there is no such file
     */
    void sync(String relative) throws IOException {
        int file = Posix.openAt(fd, Posix.name(relative), O_SYNC_READ, 0);
        try {
            Posix.fsync(file);
            if (Posix.status(file).isDirectory()) {
                syncEverything();
            }
        } finally {
            Posix.close(file);
        }
    }

    @Override
    public void close() throws IOException {
        Posix.close(fd);
    }
}
