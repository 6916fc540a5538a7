package org.ssdcache.file;

import org.ssdcache.io.FileStatus;

/**
 * What tells inodes apart: st_dev, st_ino, and the birth time, since the number of an inode that
 * nobody holds open is used again when its last name goes.
 *
 * @param birthNanos nanoseconds since 1970, 0 where the filesystem keeps none
 */
record InodeKey(long device, long inode, long birthNanos) {
    static InodeKey of(FileStatus status) {
        return new InodeKey(status.device(), status.inode(), status.birthNanos());
    }
}
