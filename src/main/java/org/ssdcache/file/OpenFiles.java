package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import org.ssdcache.block.FileFacts;
import org.ssdcache.cache.FileCache;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/**
 * Which regular files are open: the cache hears of a file with its first handle and of its end with
 * the last. All methods take the inode's lock.
 */
final class OpenFiles {
    /** Facts that no file has, so that what is remembered of it never fits. */
    private static final FileFacts UNKNOWN = new FileFacts(-1, -1, -1);

    private final FileCache cache;
    private final boolean inPlace;

    OpenFiles(FileCache cache, boolean inPlace) {
        this.cache = cache;
        this.inPlace = inPlace;
    }

    /** Counts a handle; true if the kernel's pages of the file are still right. */
    boolean open(Inode inode, int accessMode) throws IOException {
        inode.lock.lock();
        try {
            OpenFile open = inode.open();
            if (open == null) {
                return begin(inode, DataFile.open(inode, accessMode));
            }
            if (accessMode != OpenFlags.O_RDONLY) {
                open.data().makeWritable(inode);
            }
            open.handles++;
            return inPlace || cache.reopened(open.cached(), Inode.factsOf(inode.backingStatus()));
        } finally {
            inode.lock.unlock();
        }
    }

    /** Counts a handle of a file that was just made; takes the descriptor. */
    void openCreated(Inode inode, int readWriteFd) throws IOException {
        DataFile data = DataFile.of(readWriteFd, inode);
        inode.lock.lock();
        try {
            if (inode.open() == null) {
                begin(inode, data);
                return;
            }
            inode.open().handles++;
        } finally {
            inode.lock.unlock();
        }
        data.close();
    }

    /** The first handle. */
    @GuardedBy("inode.lock")
    private boolean begin(Inode inode, DataFile data) throws IOException {
        try {
            FileFacts facts = Inode.factsOf(inode.backingStatus());
            OpenFile open =
                    new OpenFile(
                            cache.open(
                                    inode.fileId(),
                                    inode.locator(),
                                    data,
                                    facts,
                                    () -> Inode.factsOf(inode.backingStatus())),
                            data);
            open.handles = 1;
            boolean unchanged =
                    inPlace || inode.lastFacts() == null || inode.lastFacts().equals(facts);
            inode.setOpen(open);
            return unchanged;
        } catch (IOException | RuntimeException e) {
            data.close();
            throw e;
        }
    }

    /** Gives a handle back; the last one ends the file for the cache. */
    void release(Inode inode) throws IOException {
        inode.lock.lock();
        try {
            OpenFile open = inode.open();
            if (--open.handles == 0) {
                end(inode, open);
            }
        } finally {
            inode.lock.unlock();
        }
    }

    @GuardedBy("inode.lock")
    private void end(Inode inode, OpenFile open) throws IOException {
        inode.setOpen(null);
        FileFacts facts = UNKNOWN;
        boolean isGone = false;
        try {
            FileStatus status = inode.backingStatus();
            facts = Inode.factsOf(status);
            isGone = status.links() == 0;
        } finally {
            if (open.cached().isBackingChanged()) {
                // Who opens the file next and syncs it wants that durable too.
                inode.names().changed();
            }
            boolean ours = cache.close(open.cached(), facts);
            inode.setLastFacts(ours ? facts : UNKNOWN);
            if (isGone) {
                cache.deleted(inode.fileId());
            }
        }
    }

    /**
     * A file is about to take the place of another one: what is dirty of it must be durable by
     * then, else a power cut would leave neither the old bytes nor the new ones. ext4 promises the
     * same to programs that do not sync before they rename (auto_da_alloc).
     */
    void secure(Inode inode) throws ErrnoException {
        if (inode.isRegular()) {
            cache.secure(inode.fileId());
        }
    }

    /** What a change does to a file; may fail like the system call it is. */
    interface Change {
        void run() throws ErrnoException;
    }

    /**
     * Runs a change of attributes or names, so that the cache can tell it from one made behind its
     * back, and hears of the file's end when the last name went.
     */
    void change(Inode inode, Change change) throws ErrnoException {
        // The descriptor is held meanwhile, so that it is there if this takes the last name.
        try (PathDescriptor path = inode.path()) {
            if (!inode.isRegular()) {
                change.run();
                return;
            }
            inode.lock.lock();
            try {
                changeRegular(inode, path.fd(), change);
            } finally {
                inode.lock.unlock();
            }
        }
    }

    @GuardedBy("inode.lock")
    private void changeRegular(Inode inode, int pathFd, Change change) throws ErrnoException {
        FileFacts before = Inode.factsOf(Posix.status(pathFd));
        change.run();
        inode.names().changed();
        FileStatus status = Posix.status(pathFd);
        FileFacts after = Inode.factsOf(status);
        if (before.equals(inode.lastFacts())) {
            inode.setLastFacts(after);
        }
        if (status.links() == 0 && inode.open() == null) {
            cache.deleted(inode.fileId());
        } else if (cache.holds(inode.fileId())) {
            cache.attributesChanged(inode.fileId(), before, after);
        }
    }

    /** Runs a change that concerns two files; their locks are taken in the order of numbers. */
    void change(Inode one, Inode other, Change change) throws ErrnoException {
        if (other == null || other == one) {
            change(one, change);
            return;
        }
        Inode first = one.number() < other.number() ? one : other;
        Inode second = first == one ? other : one;
        change(first, () -> change(second, change));
    }
}
