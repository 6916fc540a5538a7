package org.ssdcache.file;

import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;

/** Attributes as the mount shows them: the backing's, but for what only the daemon knows. */
final class ShownAttributes {
    /**
     * While a file is open its size is the cache's. What the cache knows is looked at before the
     * backing: if it has nothing to add any more, the backing has it already.
     */
    FileStatus of(Inode inode) throws ErrnoException {
        OpenFile open = inode.open();
        FileStatus status = inode.backingStatus();
        return open == null ? status : status.withSize(open.cached().sizeBytes());
    }
}
