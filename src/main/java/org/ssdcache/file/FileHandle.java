package org.ssdcache.file;

import java.util.concurrent.atomic.AtomicInteger;
import org.ssdcache.cache.CachedFile;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/** One open(2) of a regular file. */
final class FileHandle {
    private final Inode inode;
    private final CachedFile cached;

    /** Failed syncs of the file that this opener knows of. */
    private final AtomicInteger reportedFailures;

    FileHandle(Inode inode, CachedFile cached) {
        this.inode = inode;
        this.cached = cached;
        this.reportedFailures = new AtomicInteger(cached.failedSyncs());
    }

    Inode inode() {
        return inode;
    }

    CachedFile cached() {
        return cached;
    }

    /** This opener is being told of the failure that just happened. */
    void failureReported() {
        reportedFailures.set(cached.failedSyncs());
    }

    /**
     * Reports a sync that failed for another opener. All handles share one descriptor of the
     * backing file, and Linux tells each descriptor of a failure only once.
     */
    void checkEarlierSyncs() throws ErrnoException {
        int failures = cached.failedSyncs();
        if (reportedFailures.getAndSet(failures) != failures) {
            throw new ErrnoException(Errno.EIO, "an earlier sync of " + cached + " failed");
        }
    }
}
