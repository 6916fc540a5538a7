package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.FileId;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.OpenFileLimit;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/**
 * The inodes that the kernel knows, with how often it was told about each.
 *
 * <p>Every {@link #lookup} and {@link #adopt} counts one reference, which a later {@link #forget}
 * takes back. Hard links are one inode here, as everywhere.
 */
final class InodeTable {
    static final int ROOT = 1;

    private static final Logger LOG = LoggerFactory.getLogger(InodeTable.class);

    // constant
    private final Slab<Inode> inodes = new Slab<>(ROOT);
    private final long rootDevice;
    private final long maxInodes;
    private final AtomicBoolean fullReported = new AtomicBoolean();

    @GuardedBy("this")
    private final Map<InodeKey, Inode> byKey = new HashMap<>();

    /** How often each number was used, so that number and generation together never repeat. */
    @GuardedBy("this")
    private int[] generations = new int[64];

    /** f_fsid by st_dev, of filesystems mounted below the backing's root. */
    @GuardedBy("this")
    private final Map<Long, Long> filesystemIds = new HashMap<>();

    /** Takes over the descriptor of the backing's root. */
    InodeTable(int rootFd) throws ErrnoException {
        FileStatus status = Posix.status(rootFd);
        this.rootDevice = status.device();
        this.maxInodes = maxInodes();
        adopt(rootFd, status);
    }

    Inode root() {
        return inodes.get(ROOT);
    }

    /** The inode behind a number that the kernel sent. */
    Inode get(long number) throws ErrnoException {
        Inode inode = inodes.get(number);
        if (inode == null) {
            throw new ErrnoException(Errno.ESTALE, "the kernel named unknown inode " + number);
        }
        return inode;
    }

    /** Finds a name and counts a reference to its inode; null if the name does not exist. */
    Inode lookup(Inode parent, byte[] name) throws ErrnoException {
        int fd = Posix.tryOpenAt(parent.pathFd(), name, OpenFlags.O_PATH | OpenFlags.O_NOFOLLOW);
        if (fd == -Errno.ENOENT) {
            return null;
        }
        if (fd < 0) {
            throw new ErrnoException(-fd, "lookup: " + Errno.describe(-fd));
        }
        return adopt(fd);
    }

    /** Counts a reference to the inode behind an O_PATH descriptor, and takes the descriptor. */
    Inode adopt(int pathFd) throws ErrnoException {
        FileStatus status;
        try {
            status = Posix.status(pathFd);
        } catch (ErrnoException e) {
            closeQuietly(pathFd);
            throw e;
        }
        return adopt(pathFd, status);
    }

    private Inode adopt(int pathFd, FileStatus status) throws ErrnoException {
        Inode inode = null;
        try {
            inode = referTo(pathFd, status);
            return inode;
        } finally {
            if (inode == null || inode.pathFd() != pathFd) {
                closeQuietly(pathFd);
            }
        }
    }

    private synchronized Inode referTo(int pathFd, FileStatus status) throws ErrnoException {
        Inode inode = byKey.get(new InodeKey(status.device(), status.inode()));
        if (inode == null) {
            requireRoom();
            FileId fileId = fileIdOf(pathFd, status);
            int number = inodes.reserve();
            inode = new Inode(number, nextGeneration(number), pathFd, status, fileId);
            inodes.set(number, inode);
            byKey.put(inode.key(), inode);
        }
        inode.references++;
        return inode;
    }

    @GuardedBy("this")
    private int nextGeneration(int number) {
        if (number >= generations.length) {
            generations = Arrays.copyOf(generations, Math.max(number + 1, number * 2));
        }
        return ++generations[number];
    }

    /** A quarter of the descriptors is left for open files and for the program itself. */
    private static long maxInodes() throws ErrnoException {
        try {
            OpenFileLimit.raise();
        } catch (IOException e) {
            LOG.info("the limit of open files stays as it is: {}", e.getMessage());
        }
        return OpenFileLimit.current() / 4 * 3;
    }

    /** Fails with ENFILE when the kernel knows as many inodes as there are descriptors for. */
    synchronized void requireRoom() throws ErrnoException {
        if (byKey.size() < maxInodes) {
            return;
        }
        String reason = maxInodes + " inodes in use; raise the limit of open files (LimitNOFILE=)";
        if (!fullReported.getAndSet(true)) {
            LOG.error("{}", reason);
        }
        throw new ErrnoException(Errno.ENFILE, reason);
    }

    /** Takes back references; the last one closes the inode. */
    void forget(Inode inode, long count) {
        boolean gone;
        synchronized (this) {
            inode.references -= count;
            assert inode.references >= 0 : "inode " + inode.number() + " forgotten too often";
            gone = inode.references == 0;
            if (gone) {
                byKey.remove(inode.key());
                inodes.remove(inode.number());
            }
        }
        if (gone) {
            closeQuietly(inode.pathFd());
        }
    }

    /** How many inodes the kernel knows. */
    synchronized int size() {
        return byKey.size();
    }

    /** Closes every descriptor; nothing may be asked for afterwards. */
    synchronized void close() {
        for (Inode inode : byKey.values()) {
            closeQuietly(inode.pathFd());
            inodes.remove(inode.number());
        }
        byKey.clear();
    }

    @GuardedBy("this")
    private FileId fileIdOf(int fd, FileStatus status) throws ErrnoException {
        return new FileId(deviceOf(fd, status), status.inode(), status.birthNanos());
    }

    @GuardedBy("this")
    private long deviceOf(int fd, FileStatus status) throws ErrnoException {
        if (status.device() == rootDevice) {
            return 0;
        }
        Long known = filesystemIds.get(status.device());
        if (known == null) {
            known = Posix.filesystemId(fd);
            filesystemIds.put(status.device(), known);
        }
        return known;
    }

    private static void closeQuietly(int fd) {
        try {
            Posix.close(fd);
        } catch (ErrnoException e) {
            LOG.warn("closing an inode's descriptor failed", e);
        }
    }
}
