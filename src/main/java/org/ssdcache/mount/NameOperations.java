package org.ssdcache.mount;

import org.ssdcache.file.FileSystem;
import org.ssdcache.file.Inode;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.NativeMemory;

/** Finding, making and removing names. */
final class NameOperations {
    private final FileSystem files;
    private final Timeouts timeouts;

    NameOperations(FileSystem files, Timeouts timeouts) {
        this.files = files;
        this.timeouts = timeouts;
    }

    void register(OperationTable table, Requests requests) {
        table.set(
                OperationTable.LOOKUP,
                Callback.Of3.class,
                (req, parent, name) ->
                        requests.run("lookup", req, reply -> lookup(reply, parent, name)));
        table.set(
                OperationTable.FORGET,
                Callback.Of3.class,
                (req, inode, count) ->
                        requests.run("forget", req, reply -> forget(reply, inode, count)));
        table.set(
                OperationTable.FORGET_MULTI,
                Callback.Of3.class,
                (req, count, list) ->
                        requests.run("forget", req, reply -> forgetMany(reply, count, list)));
        table.set(
                OperationTable.MKNOD,
                Callback.Of5.class,
                (req, parent, name, mode, device) ->
                        requests.run(
                                "mknod",
                                req,
                                reply -> mknod(reply, parent, name, (int) mode, device)));
        table.set(
                OperationTable.MKDIR,
                Callback.Of4.class,
                (req, parent, name, mode) ->
                        requests.run(
                                "mkdir", req, reply -> mkdir(reply, parent, name, (int) mode)));
        table.set(
                OperationTable.SYMLINK,
                Callback.Of4.class,
                (req, target, parent, name) ->
                        requests.run(
                                "symlink", req, reply -> symlink(reply, target, parent, name)));
        table.set(
                OperationTable.LINK,
                Callback.Of4.class,
                (req, inode, parent, name) ->
                        requests.run("link", req, reply -> link(reply, inode, parent, name)));
        table.set(
                OperationTable.UNLINK,
                Callback.Of3.class,
                (req, parent, name) ->
                        requests.run("unlink", req, reply -> unlink(reply, parent, name)));
        table.set(
                OperationTable.RMDIR,
                Callback.Of3.class,
                (req, parent, name) ->
                        requests.run("rmdir", req, reply -> rmdir(reply, parent, name)));
        table.set(
                OperationTable.RENAME,
                Callback.Of5.class,
                (req, parent, name, newParent, newName) ->
                        requests.run(
                                "rename",
                                req,
                                reply -> rename(reply, parent, name, newParent, newName)));
    }

    private void lookup(Reply reply, long parent, long name) throws ErrnoException {
        Inode inode = files.lookup(files.inode(parent), NativeMemory.copyCString(name));
        if (inode == null) {
            reply.missing(timeouts);
        } else {
            entry(reply, inode);
        }
    }

    /** Hands an inode with its reference to the kernel, or takes the reference back. */
    private void entry(Reply reply, Inode inode) throws ErrnoException {
        boolean taken = false;
        try {
            FileStatus status = files.getattr(inode);
            taken = reply.entry(inode, status, timeouts);
        } finally {
            if (!taken) {
                files.forget(inode, 1);
            }
        }
    }

    private void forget(Reply reply, long inode, long count) throws ErrnoException {
        reply.none();
        files.forget(files.inode(inode), count);
    }

    private void forgetMany(Reply reply, long count, long list) throws ErrnoException {
        for (long i = 0; i < count; i++) {
            long forget = list + i * FuseLayout.FORGET_BYTES;
            files.forget(
                    files.inode(FuseLayout.forgottenInode(forget)),
                    FuseLayout.forgottenCount(forget));
        }
        reply.none();
    }

    private void mknod(Reply reply, long parent, long name, int mode, long device)
            throws ErrnoException {
        byte[] nameBytes = NativeMemory.copyCString(name);
        entry(reply, files.mknod(files.inode(parent), nameBytes, mode, device, reply.caller()));
    }

    private void mkdir(Reply reply, long parent, long name, int mode) throws ErrnoException {
        byte[] nameBytes = NativeMemory.copyCString(name);
        entry(reply, files.mkdir(files.inode(parent), nameBytes, mode, reply.caller()));
    }

    private void symlink(Reply reply, long target, long parent, long name) throws ErrnoException {
        byte[] targetBytes = NativeMemory.copyCString(target);
        byte[] nameBytes = NativeMemory.copyCString(name);
        entry(reply, files.symlink(targetBytes, files.inode(parent), nameBytes, reply.caller()));
    }

    private void link(Reply reply, long inode, long parent, long name) throws ErrnoException {
        byte[] nameBytes = NativeMemory.copyCString(name);
        entry(reply, files.link(files.inode(inode), files.inode(parent), nameBytes));
    }

    private void unlink(Reply reply, long parent, long name) throws ErrnoException {
        files.unlink(files.inode(parent), NativeMemory.copyCString(name));
        reply.done();
    }

    private void rmdir(Reply reply, long parent, long name) throws ErrnoException {
        files.rmdir(files.inode(parent), NativeMemory.copyCString(name));
        reply.done();
    }

    private void rename(Reply reply, long parent, long name, long newParent, long newName)
            throws ErrnoException {
        files.rename(
                files.inode(parent),
                NativeMemory.copyCString(name),
                files.inode(newParent),
                NativeMemory.copyCString(newName));
        reply.done();
    }
}
