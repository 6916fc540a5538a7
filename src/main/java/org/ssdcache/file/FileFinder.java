package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.cache.FileOpener;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.NativeBlockFile;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/**
 * Finds backing files by identity, without a name: among the inodes that the kernel knows, else by
 * file handle, else, where there are no handles, in the whole tree.
 */
public final class FileFinder implements FileOpener {
    private static final Logger LOG = LoggerFactory.getLogger(FileFinder.class);

    private static final int GONE = TreeSearch.GONE;
    private static final int UNKNOWN = -2;

    private final InodeTable inodes;
    private final TreeSearch tree;

    /** Shared by searches, exclusive for the end. */
    private final ReentrantReadWriteLock ending = new ReentrantReadWriteLock();

    @GuardedBy("ending")
    private boolean ended;

    FileFinder(InodeTable inodes, NameMoves moves) {
        this.inodes = inodes;
        this.tree = new TreeSearch(inodes, moves);
    }

    @Override
    public OpenedFile open(FileId id, FileLocator locator) throws IOException {
        ending.readLock().lock();
        try {
            requireOpen();
            int path = pathDescriptorOf(id, locator);
            return path == GONE ? null : openData(path, id);
        } finally {
            ending.readLock().unlock();
        }
    }

    @GuardedBy("ending")
    private void requireOpen() throws IOException {
        if (ended) {
            throw new IOException("the filesystem is closed already");
        }
    }

    /** Nothing is found from here on. */
    void close() {
        ending.writeLock().lock();
        try {
            ended = true;
        } finally {
            ending.writeLock().unlock();
        }
    }

    /** Closes the O_PATH descriptor. */
    private static OpenedFile openData(int path, FileId id) throws ErrnoException {
        try {
            int fd = Posix.reopen(path, OpenFlags.O_RDWR);
            NativeBlockFile data = new NativeBlockFile(fd, "backing inode " + id.inode());
            return new OpenedFile(data, () -> Inode.factsOf(Posix.status(fd)));
        } finally {
            InodeHandles.closeQuietly(path);
        }
    }

    @Override
    public Set<FileId> gone(Map<FileId, FileLocator> files) throws IOException {
        ending.readLock().lock();
        try {
            requireOpen();
            Set<FileId> gone = new HashSet<>();
            Set<FileId> unknown = new HashSet<>();
            for (Map.Entry<FileId, FileLocator> file : files.entrySet()) {
                int path = withoutWalk(file.getKey(), file.getValue());
                if (path >= 0) {
                    InodeHandles.closeQuietly(path);
                } else {
                    (path == GONE ? gone : unknown).add(file.getKey());
                }
            }
            if (!unknown.isEmpty()) {
                gone.addAll(tree.missing(unknown));
            }
            return gone;
        } finally {
            ending.readLock().unlock();
        }
    }

    /** An O_PATH descriptor of the file, GONE or UNKNOWN. */
    private int withoutWalk(FileId id, FileLocator locator) throws ErrnoException {
        int path = fromKnown(id);
        return path == GONE ? byHandle(id, locator) : path;
    }

    /** An O_PATH descriptor of the file, or GONE. */
    private int pathDescriptorOf(FileId id, FileLocator locator) throws IOException {
        int path = withoutWalk(id, locator);
        if (path == UNKNOWN) {
            path = tree.find(id);
        }
        // It may have been opened, and then have lost its name, while it was searched for.
        return path == GONE ? fromKnown(id) : path;
    }

    /** GONE here only means that the kernel does not know it. */
    private int fromKnown(FileId id) throws ErrnoException {
        Inode inode = inodes.referTo(id);
        if (inode == null) {
            return GONE;
        }
        try {
            return inode.reopen(OpenFlags.O_PATH);
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ESTALE) {
                return GONE;
            }
            throw e;
        } finally {
            inodes.forget(inode, 1);
        }
    }

    private int byHandle(FileId id, FileLocator locator) throws ErrnoException {
        if (locator.isNone() || !inodes.handles().areUsable()) {
            return UNKNOWN;
        }
        int path;
        try {
            path = inodes.handles().open(locator);
        } catch (ErrnoException e) {
            return withoutHandle(id, e);
        }
        int found = UNKNOWN;
        try {
            found = judge(path, id);
        } finally {
            if (found != path) {
                InodeHandles.closeQuietly(path);
            }
        }
        return found;
    }

    private static int withoutHandle(FileId id, ErrnoException e) throws ErrnoException {
        return switch (e.errno()) {
            // The kernel's answer for a deleted file, and also for an inode that it cannot read
            // (exportfs_decode_fh makes ESTALE of every error but ENOMEM).
            case Errno.ESTALE -> UNKNOWN;
            case Errno.EPERM, Errno.EINVAL, Errno.EOPNOTSUPP -> {
                LOG.info("inode {} has no usable handle: {}", id.inode(), e.getMessage());
                yield UNKNOWN;
            }
            default -> throw e;
        };
    }

    /** What an inode found by its handle is: the file, a later one with its number, or nothing. */
    private int judge(int path, FileId id) throws ErrnoException {
        FileStatus status = Posix.status(path);
        FileId found = inodes.fileIdOf(path);
        if (found.equals(id) && status.isRegular()) {
            return status.links() == 0 ? GONE : path;
        }
        boolean sameNumber = found.device() == id.device() && found.inode() == id.inode();
        return sameNumber ? GONE : UNKNOWN;
    }

    /**
     * Names of files, for messages: a walk through the whole tree.
     *
     * @return paths from the backing's root, of those files that were found; of a file with several
     *     names, one of them
     */
    public Map<FileId, String> pathsOf(Set<FileId> ids) throws IOException {
        ending.readLock().lock();
        try {
            requireOpen();
            return new FileNames(inodes, ids).find();
        } finally {
            ending.readLock().unlock();
        }
    }

    /**
     * The name by which the kernel knows a file at the moment, for messages: found at once, without
     * a walk.
     *
     * @return its path from the backing's root; null if it has none, or cannot be found by handle
     */
    public String currentPathOf(FileId id, FileLocator locator) throws IOException {
        ending.readLock().lock();
        try {
            requireOpen();
            int path = withoutWalk(id, locator);
            return path < 0 ? null : relativePathOf(path);
        } finally {
            ending.readLock().unlock();
        }
    }

    /** Closes the O_PATH descriptor. */
    private String relativePathOf(int path) throws IOException {
        int root = inodes.openRoot();
        try {
            Path backing = Files.readSymbolicLink(Path.of("/proc/self/fd/" + root));
            Path file = Files.readSymbolicLink(Path.of("/proc/self/fd/" + path));
            boolean isBelow = file.startsWith(backing) && !file.equals(backing);
            return isBelow ? backing.relativize(file).toString() : null;
        } finally {
            InodeHandles.closeQuietly(path);
            InodeHandles.closeQuietly(root);
        }
    }

    /** The name of one file, for messages; null if none was found. */
    public String pathOf(FileId id) throws IOException {
        return pathsOf(Set.of(id)).get(id);
    }
}
