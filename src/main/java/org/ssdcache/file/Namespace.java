package org.ssdcache.file;

import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/** Names: making them, taking them away, moving them. Data is not touched here. */
final class Namespace {
    private final InodeTable inodes;
    private final OpenFiles openFiles;
    private final NameMoves moves;
    private final HiddenNames hidden;

    Namespace(InodeTable inodes, OpenFiles openFiles, NameMoves moves, HiddenNames hidden) {
        this.inodes = inodes;
        this.openFiles = openFiles;
        this.moves = moves;
        this.hidden = hidden;
    }

    Inode mkdir(Inode parent, byte[] name, int mode, Caller caller) throws ErrnoException {
        hidden.refuse(parent, name);
        inodes.requireRoom();
        try (PathDescriptor directory = parent.path()) {
            CallerIdentity.run(caller, () -> Posix.mkdirAt(directory.fd(), name, mode));
        }
        return existing(parent, name);
    }

    Inode mknod(Inode parent, byte[] name, int mode, long device, Caller caller)
            throws ErrnoException {
        hidden.refuse(parent, name);
        inodes.requireRoom();
        try (PathDescriptor directory = parent.path()) {
            CallerIdentity.run(caller, () -> Posix.mknodAt(directory.fd(), name, mode, device));
        }
        return existing(parent, name);
    }

    Inode symlink(byte[] target, Inode parent, byte[] name, Caller caller) throws ErrnoException {
        hidden.refuse(parent, name);
        inodes.requireRoom();
        try (PathDescriptor directory = parent.path()) {
            CallerIdentity.run(caller, () -> Posix.symlinkAt(target, directory.fd(), name));
        }
        return existing(parent, name);
    }

    Inode link(Inode inode, Inode parent, byte[] name) throws ErrnoException {
        hidden.refuse(parent, name);
        try (PathDescriptor path = inode.path();
                PathDescriptor directory = parent.path()) {
            openFiles.change(
                    inode, () -> moves.run(() -> Posix.linkAt(path.fd(), directory.fd(), name)));
        }
        inode.names().changed();
        return existing(parent, name);
    }

    void unlink(Inode parent, byte[] name) throws ErrnoException {
        remove(parent, name, 0);
    }

    void rmdir(Inode parent, byte[] name) throws ErrnoException {
        remove(parent, name, OpenFlags.AT_REMOVEDIR);
    }

    /** Also a directory must have a descriptor when its name goes: a process may be in it. */
    private void remove(Inode parent, byte[] name, int flags) throws ErrnoException {
        Inode target = existing(parent, name);
        try (PathDescriptor directory = parent.path()) {
            openFiles.change(target, () -> Posix.unlinkAt(directory.fd(), name, flags));
        } finally {
            inodes.forget(target, 1);
        }
    }

    void rename(Inode parent, byte[] name, Inode newParent, byte[] newName) throws ErrnoException {
        hidden.refuse(newParent, newName);
        Inode source = existing(parent, name);
        try {
            renameOver(source, parent, name, newParent, newName);
            source.names().changed();
            inodes.named(source, newParent, newName);
        } finally {
            inodes.forget(source, 1);
        }
    }

    private void renameOver(
            Inode source, Inode parent, byte[] name, Inode newParent, byte[] newName)
            throws ErrnoException {
        Inode replaced = inodes.lookup(newParent, newName);
        try (PathDescriptor from = parent.path();
                PathDescriptor to = newParent.path()) {
            if (replaced != null) {
                openFiles.secure(source);
            }
            openFiles.change(
                    source,
                    replaced,
                    () -> moves.run(() -> Posix.renameAt(from.fd(), name, to.fd(), newName)));
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
