package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.InodeHandle;
import org.ssdcache.io.Posix;

/**
 * The O_PATH descriptor of one inode. It may be closed while nobody uses it, and is opened again
 * for the next use; each use is {@code try (PathDescriptor path = inode.path())}.
 *
 * <p>An inode without a name keeps its descriptor: nothing would find it again.
 */
final class PathDescriptor implements AutoCloseable {
    private static final int NONE = -1;

    // dependencies
    private final PathDescriptors all;
    private final InodeHandles handles;

    private final InodeKey key;

    /** Written under the lock; does not change during a use. */
    private volatile int fd = NONE;

    @GuardedBy("this")
    private int uses;

    @GuardedBy("this")
    private boolean recentlyUsed;

    /** Taken when the descriptor is given up the first time. */
    @GuardedBy("this")
    private InodeHandle handle;

    /** What came of giving up a descriptor. */
    enum Release {
        CLOSED,
        /** It was used a short time ago; may be asked again. */
        IN_USE,
        /** The inode could not be found again. */
        NEEDED,
        /** There was none. */
        GONE
    }

    /** Without a descriptor; {@link #install} gives it the first. */
    PathDescriptor(PathDescriptors all, InodeHandles handles, InodeKey key) {
        this.all = all;
        this.handles = handles;
        this.key = key;
    }

    /**
     * Begins a use, which {@link #close} ends.
     *
     * @throws ErrnoException ESTALE if the inode was deleted behind the mount's back
     */
    PathDescriptor use() throws ErrnoException {
        if (!useOpen()) {
            all.makeRoom();
            if (useReopened()) {
                all.added(this);
            }
        }
        return this;
    }

    private synchronized boolean useOpen() {
        if (fd == NONE) {
            return false;
        }
        uses++;
        recentlyUsed = true;
        return true;
    }

    /** True if this thread opened it. */
    private synchronized boolean useReopened() throws ErrnoException {
        boolean opens = fd == NONE;
        if (opens) {
            if (handle == null) {
                throw new ErrnoException(Errno.ESTALE, "inode " + key.inode() + " is forgotten");
            }
            fd = handles.open(handle, key);
        }
        uses++;
        recentlyUsed = true;
        return opens;
    }

    /** The descriptor; only during a use. */
    int fd() {
        return fd;
    }

    /** What finds the inode in a later mount; only during a use. */
    FileLocator locator() {
        return handles.locatorOf(fd, key);
    }

    /** Ends a use. */
    @Override
    public synchronized void close() {
        uses--;
    }

    /**
     * Takes over a descriptor of the same inode if there is none.
     *
     * @return whether it was taken; {@link PathDescriptors#added} is to be called then
     */
    synchronized boolean install(int pathFd) {
        recentlyUsed = true;
        if (fd != NONE) {
            return false;
        }
        fd = pathFd;
        return true;
    }

    /** Whether it was not used since this was last asked. */
    synchronized boolean isIdle() {
        boolean idle = uses == 0 && !recentlyUsed;
        recentlyUsed = false;
        return idle;
    }

    /** Closes the descriptor unless it is needed. */
    synchronized Release release() throws ErrnoException {
        if (fd == NONE) {
            return Release.GONE;
        }
        if (!isIdle()) {
            return Release.IN_USE;
        }
        if (handle == null) {
            handle = handles.handleOf(fd, key);
        }
        if (handle == null || Posix.status(fd).links() == 0) {
            return Release.NEEDED;
        }
        int closing = fd;
        fd = NONE;
        InodeHandles.closeQuietly(closing);
        return Release.CLOSED;
    }

    /** The kernel has forgotten the inode. */
    void end() {
        int closing;
        synchronized (this) {
            closing = fd;
            fd = NONE;
            handle = null;
        }
        if (closing != NONE) {
            all.removed(this);
            InodeHandles.closeQuietly(closing);
        }
    }
}
