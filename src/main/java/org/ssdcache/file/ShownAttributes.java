package org.ssdcache.file;

import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;

/** Attributes as the mount shows them: the backing's, but for what only the daemon knows. */
final class ShownAttributes {
    private final RootGuard guard;

    ShownAttributes(RootGuard guard) {
        this.guard = guard;
    }

    /**
     * While a file is open its size is the cache's. What the cache knows is looked at before the
     * backing: if it has nothing to add any more, the backing has it already.
     */
    FileStatus of(Inode inode) throws ErrnoException {
        OpenFile open = inode.open();
        FileStatus status = inode.backingStatus();
        if (inode.isRoot()) {
            return status.withPermissions(guard.shownMode(status.permissions()));
        }
        return open == null ? status : status.withSize(open.cached().sizeBytes());
    }
}
