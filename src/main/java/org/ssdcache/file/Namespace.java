package org.ssdcache.file;

import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/** Names: making them, taking them away, moving them. Data is not touched here. */
final class Namespace {
    private final InodeTable inodes;
    private final OpenFiles openFiles;

    Namespace(InodeTable inodes, OpenFiles openFiles) {
        this.inodes = inodes;
        this.openFiles = openFiles;
    }

    Inode mkdir(Inode parent, byte[] name, int mode, Caller caller) throws ErrnoException {
        inodes.requireRoom();
        CallerIdentity.run(caller, () -> Posix.mkdirAt(parent.pathFd(), name, mode));
        return existing(parent, name);
    }

    Inode mknod(Inode parent, byte[] name, int mode, long device, Caller caller)
            throws ErrnoException {
        inodes.requireRoom();
        CallerIdentity.run(caller, () -> Posix.mknodAt(parent.pathFd(), name, mode, device));
        return existing(parent, name);
    }

    Inode symlink(byte[] target, Inode parent, byte[] name, Caller caller) throws ErrnoException {
        inodes.requireRoom();
        CallerIdentity.run(caller, () -> Posix.symlinkAt(target, parent.pathFd(), name));
        return existing(parent, name);
    }

    Inode link(Inode inode, Inode parent, byte[] name) throws ErrnoException {
        openFiles.change(inode, () -> Posix.linkAt(inode.pathFd(), parent.pathFd(), name));
        return existing(parent, name);
    }

    void unlink(Inode parent, byte[] name) throws ErrnoException {
        Inode target = existing(parent, name);
        try {
            openFiles.change(target, () -> Posix.unlinkAt(parent.pathFd(), name, 0));
        } finally {
            inodes.forget(target, 1);
        }
    }

    void rmdir(Inode parent, byte[] name) throws ErrnoException {
        Posix.unlinkAt(parent.pathFd(), name, OpenFlags.AT_REMOVEDIR);
    }

    void rename(Inode parent, byte[] name, Inode newParent, byte[] newName) throws ErrnoException {
        Inode source = existing(parent, name);
        try {
            renameOver(source, parent, name, newParent, newName);
        } finally {
            inodes.forget(source, 1);
        }
    }

    private void renameOver(
            Inode source, Inode parent, byte[] name, Inode newParent, byte[] newName)
            throws ErrnoException {
        Inode replaced = inodes.lookup(newParent, newName);
        try {
            openFiles.change(
                    source,
                    replaced,
                    () -> Posix.renameAt(parent.pathFd(), name, newParent.pathFd(), newName));
        } finally {
            if (replaced != null) {
                inodes.forget(replaced, 1);
            }
        }
    }

    /** A name that must exist; counts a reference to its inode. */
    private Inode existing(Inode parent, byte[] name) throws ErrnoException {
        Inode inode = inodes.lookup(parent, name);
        if (inode == null) {
            throw new ErrnoException(Errno.ENOENT, "no such name");
        }
        return inode;
    }
}
