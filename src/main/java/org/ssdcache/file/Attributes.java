package org.ssdcache.file;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.ssdcache.cache.FileCache;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/** Sets attributes; a new size goes through the cache, everything else to the backing. */
final class Attributes {
    private static final int PERMISSION_BITS = 07777;
    private static final int KEEP = -1;

    private final FileCache cache;
    private final OpenFiles openFiles;
    private final RootGuard guard;

    Attributes(FileCache cache, OpenFiles openFiles, RootGuard guard) {
        this.cache = cache;
        this.openFiles = openFiles;
        this.guard = guard;
    }

    /** Times are set last, since every other change moves them. */
    void set(Inode inode, AttributeChange change) throws IOException {
        if (change.has(AttributeChange.MODE | AttributeChange.UID | AttributeChange.GID)) {
            openFiles.change(inode, () -> setOwnerAndMode(inode, change));
        }
        if (change.has(AttributeChange.MODE) && inode.isRoot()) {
            setRootMode(inode, change.mode() & PERMISSION_BITS);
        }
        if (change.has(AttributeChange.SIZE)) {
            truncate(inode, change.sizeBytes());
        }
        if (setsTime(change)) {
            openFiles.change(inode, () -> setTimes(inode, change));
            if (change.has(AttributeChange.MODIFY_TIME | AttributeChange.MODIFY_TIME_NOW)) {
                cache.modifiedSet(inode.fileId(), modifiedNanos(inode, change));
            }
        }
    }

    /**
     * What was asked for, since the cleaner may have moved what the backing has; but what the
     * backing made of a time that it may not be able to keep.
     */
    private static long modifiedNanos(Inode inode, AttributeChange change) throws ErrnoException {
        long seconds = change.modifySeconds();
        boolean isKept = seconds >= 0 && seconds <= Integer.MAX_VALUE;
        return isKept && !change.has(AttributeChange.MODIFY_TIME_NOW)
                ? TimeUnit.SECONDS.toNanos(seconds) + change.modifyNanos()
                : inode.backingStatus().modifiedNanos();
    }

    /** The owner first: changing it clears bits of the mode, which the kernel has accounted for. */
    private static void setOwnerAndMode(Inode inode, AttributeChange change) throws ErrnoException {
        try (PathDescriptor path = inode.path()) {
            if (change.has(AttributeChange.UID | AttributeChange.GID)) {
                Posix.chown(
                        path.fd(),
                        change.has(AttributeChange.UID) ? change.uid() : KEEP,
                        change.has(AttributeChange.GID) ? change.gid() : KEEP);
            }
            if (change.has(AttributeChange.MODE) && !inode.isRoot()) {
                Posix.chmod(path.fd(), change.mode() & PERMISSION_BITS);
            }
        }
    }

    private void setRootMode(Inode root, int permissions) throws IOException {
        try (PathDescriptor path = root.path()) {
            guard.setMode(path.fd(), permissions);
        }
    }

    private void truncate(Inode inode, long sizeBytes) throws IOException {
        openFiles.open(inode, OpenFlags.O_WRONLY);
        try {
            cache.truncate(inode.open().cached(), sizeBytes);
        } finally {
            openFiles.release(inode);
        }
    }

    private static boolean setsTime(AttributeChange change) {
        return change.has(
                AttributeChange.ACCESS_TIME
                        | AttributeChange.ACCESS_TIME_NOW
                        | AttributeChange.MODIFY_TIME
                        | AttributeChange.MODIFY_TIME_NOW);
    }

    private static void setTimes(Inode inode, AttributeChange change) throws ErrnoException {
        try (PathDescriptor path = inode.path()) {
            Posix.setTimes(
                    path.fd(),
                    change.accessSeconds(),
                    nanos(
                            change,
                            AttributeChange.ACCESS_TIME_NOW,
                            AttributeChange.ACCESS_TIME,
                            change.accessNanos()),
                    change.modifySeconds(),
                    nanos(
                            change,
                            AttributeChange.MODIFY_TIME_NOW,
                            AttributeChange.MODIFY_TIME,
                            change.modifyNanos()));
        }
    }

    private static long nanos(AttributeChange change, int nowBit, int setBit, long nanos) {
        if (change.has(nowBit)) {
            return Posix.UTIME_NOW;
        }
        return change.has(setBit) ? nanos : Posix.UTIME_OMIT;
    }
}
