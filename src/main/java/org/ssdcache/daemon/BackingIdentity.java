package org.ssdcache.daemon;

import java.io.IOException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.Posix;

/**
 * Which directory a backing directory is, independent of its path and of device numbers, which
 * change from boot to boot.
 *
 * @param inode inode number of the directory
 * @param bornNanos its birth time in nanoseconds since 1970, 0 where the filesystem keeps none
 * @param filesystem {@code f_fsid} of its filesystem
 */
record BackingIdentity(long inode, long bornNanos, long filesystem) {
    /** Which directory a descriptor leads to, also one opened O_PATH. */
    static BackingIdentity of(int fd) throws IOException {
        FileStatus status = Posix.status(fd);
        return new BackingIdentity(status.inode(), status.birthNanos(), Posix.filesystemId(fd));
    }

    /**
     * Inode and birth time decide. The filesystem's id is only asked where there is no birth time,
     * because some filesystems (XFS) derive it from the device number.
     */
    boolean isSameDirectory(BackingIdentity other) {
        boolean sameInode = inode == other.inode && bornNanos == other.bornNanos;
        return sameInode && (bornNanos != 0 || filesystem == other.filesystem);
    }
}
