package org.ssdcache.file;

import org.ssdcache.block.FileFacts;
import org.ssdcache.cache.FileCache;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;

/** Attributes as the mount shows them: the backing's, but for what only the daemon knows. */
final class ShownAttributes {
    private final FileCache cache;
    private final RootGuard guard;

    ShownAttributes(FileCache cache, RootGuard guard) {
        this.cache = cache;
        this.guard = guard;
    }

    /**
     * While a file is open its size is the cache's. What the cache knows is looked at before the
     * backing: if it has nothing to add any more, the backing has it already.
     */
    FileStatus of(Inode inode) throws ErrnoException {
        OpenFile open = inode.open();
        FileFacts pending = inode.isRegular() ? cache.pendingFacts(inode.fileId()) : null;
        FileStatus status = inode.backingStatus();
        if (inode.isRoot()) {
            return status.withPermissions(guard.shownMode(status.permissions()));
        }
        if (!inode.isRegular()) {
            return status;
        }
        FileFacts facts =
                pending != null ? pending : cache.shown(inode.fileId(), Inode.factsOf(status));
        FileStatus shown =
                status.withSize(facts.sizeBytes())
                        .withTimes(facts.modifiedNanos(), facts.changedNanos());
        return open == null ? shown : shown.withSize(open.cached().sizeBytes());
    }
}
