package org.ssdcache.file;

import java.nio.ByteBuffer;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/** Names in the root that belong to the daemon: nobody finds them, nobody can make them. */
final class HiddenNames {
    private final RootGuard guard;

    HiddenNames(RootGuard guard) {
        this.guard = guard;
    }

    /**
     * Whether a name does not exist for users of the mount.
     *
     * @param name with a final NUL
     */
    boolean contain(Inode parent, byte[] name) {
        return parent.isRoot() && guard.isHidden(ByteBuffer.wrap(name, 0, name.length - 1));
    }

    /**
     * Refuses to make a hidden name.
     *
     * @throws ErrnoException EPERM
     */
    void refuse(Inode parent, byte[] name) throws ErrnoException {
        if (contain(parent, name)) {
            throw new ErrnoException(Errno.EPERM, "this name in the root belongs to ssdcache");
        }
    }

    /** The entries of a directory that users of the mount see. */
    DirectorySink filter(DirectoryHandle directory, DirectorySink sink) {
        if (!directory.isRoot()) {
            return sink;
        }
        return (inode, nextOffset, type, name) ->
                guard.isHidden(name) || sink.entry(inode, nextOffset, type, name);
    }
}
