package org.ssdcache.file;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.InodeHandle;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/**
 * Gives up descriptors of inodes and gets them back, where the system allows it: for root, on
 * filesystems that can be exported and that keep the time of an inode's birth.
 */
final class InodeHandles {
    private static final Logger LOG = LoggerFactory.getLogger(InodeHandles.class);

    /** FUSE_SUPER_MAGIC: finds an inode by its handle only while it happens to remember it. */
    private static final long FUSE_TYPE = 0x65735546L;

    private static final int NONE = -1;

    /** The backing's root, opened for reading; NONE if handles cannot be used. */
    private final int mountFd;

    private final int mountId;

    private InodeHandles(int mountFd, int mountId) {
        this.mountFd = mountFd;
        this.mountId = mountId;
    }

    static InodeHandles unusable() {
        return new InodeHandles(NONE, NONE);
    }

    /** Tries with the root of the backing. */
    static InodeHandles tryWith(int rootFd) {
        int fd = NONE;
        try {
            fd = Posix.reopen(rootFd, OpenFlags.O_RDONLY | OpenFlags.O_DIRECTORY);
            InodeHandles handles = new InodeHandles(fd, InodeHandle.of(rootFd).mountId());
            handles.check(rootFd);
            return handles;
        } catch (ErrnoException e) {
            LOG.info("inodes keep their descriptors: {}", e.getMessage());
            closeQuietly(fd);
            return unusable();
        }
    }

    private void check(int rootFd) throws ErrnoException {
        InodeKey root = InodeKey.of(Posix.status(rootFd));
        if (root.birthNanos() == 0) {
            throw new ErrnoException(Errno.EOPNOTSUPP, "the backing keeps no birth times");
        }
        if (Posix.filesystemType(rootFd) == FUSE_TYPE) {
            throw new ErrnoException(Errno.EOPNOTSUPP, "the backing is a FUSE filesystem");
        }
        Posix.close(open(InodeHandle.of(rootFd), root));
    }

    boolean areUsable() {
        return mountFd != NONE;
    }

    /** What finds the inode again, or null if nothing does. */
    InodeHandle handleOf(int fd, InodeKey key) {
        if (!areUsable() || key.birthNanos() == 0) {
            return null;
        }
        try {
            InodeHandle handle = InodeHandle.of(fd);
            return handle.mountId() == mountId ? handle : null;
        } catch (ErrnoException e) {
            LOG.debug("inode {} keeps its descriptor: {}", key.inode(), e.getMessage());
            return null;
        }
    }

    /** What finds the inode in a later mount; NONE if nothing does. */
    FileLocator locatorOf(int fd, InodeKey key) {
        InodeHandle handle = handleOf(fd, key);
        if (handle == null || handle.body().length > FileLocator.MAX_BYTES) {
            return FileLocator.NONE;
        }
        return new FileLocator(handle.type(), handle.body());
    }

    /**
     * Opens what a locator leads to.
     *
     * @return an O_PATH descriptor
     * @throws ErrnoException ESTALE if that inode is gone
     */
    int open(FileLocator locator) throws ErrnoException {
        return InodeHandle.of(locator.handleType(), locator.handle(), mountId)
                .open(mountFd, OpenFlags.O_PATH);
    }

    /**
     * Opens an inode again.
     *
     * @return an O_PATH descriptor
     * @throws ErrnoException ESTALE if that inode is gone
     */
    int open(InodeHandle handle, InodeKey key) throws ErrnoException {
        int fd = handle.open(mountFd, OpenFlags.O_PATH);
        boolean same = false;
        try {
            FileStatus status = Posix.status(fd);
            same = InodeKey.of(status).equals(key);
        } finally {
            if (!same) {
                closeQuietly(fd);
            }
        }
        if (!same) {
            throw new ErrnoException(Errno.ESTALE, "inode " + key.inode() + " is another one now");
        }
        return fd;
    }

    void close() {
        closeQuietly(mountFd);
    }

    static void closeQuietly(int fd) {
        if (fd < 0) {
            return;
        }
        try {
            Posix.close(fd);
        } catch (ErrnoException e) {
            LOG.warn("closing a descriptor failed", e);
        }
    }
}
