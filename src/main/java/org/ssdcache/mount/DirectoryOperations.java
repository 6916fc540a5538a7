package org.ssdcache.mount;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.file.FileSystem;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.ScratchMemory;

/** Directories: reading and syncing. */
final class DirectoryOperations {
    private static final int DATA_ONLY_BIT = 1;
    private static final int MAX_REPLY_BYTES = 1 << 17;

    private static final ThreadLocal<ScratchMemory> ENTRIES =
            ThreadLocal.withInitial(() -> new ScratchMemory(MAX_REPLY_BYTES));

    private final FileSystem files;

    DirectoryOperations(FileSystem files) {
        this.files = files;
    }

    void register(OperationTable table, Requests requests) {
        table.set(
                OperationTable.OPENDIR,
                Callback.Of3.class,
                (req, inode, fileInfo) ->
                        requests.run("opendir", req, reply -> opendir(reply, inode, fileInfo)));
        table.set(
                OperationTable.READDIR,
                Callback.Of5.class,
                (req, inode, length, offset, fileInfo) ->
                        requests.run(
                                "readdir", req, reply -> readdir(reply, fileInfo, offset, length)));
        table.set(
                OperationTable.RELEASEDIR,
                Callback.Of3.class,
                (req, inode, fileInfo) ->
                        requests.run("releasedir", req, reply -> releasedir(reply, fileInfo)));
        table.set(
                OperationTable.FSYNCDIR,
                Callback.Of4.class,
                (req, inode, dataOnly, fileInfo) ->
                        requests.run(
                                "fsyncdir",
                                req,
                                reply -> fsyncdir(reply, fileInfo, (int) dataOnly)));
    }

    private void opendir(Reply reply, long inode, long fileInfo) throws ErrnoException {
        int handle = files.opendir(files.inode(inode));
        if (!reply.opened(fileInfo, handle, false)) {
            files.releasedir(handle);
        }
    }

    private void readdir(Reply reply, long fileInfo, long offset, long lengthBytes)
            throws ErrnoException {
        ByteBuffer target = ENTRIES.get().buffer();
        target.clear().limit((int) Math.min(lengthBytes, MAX_REPLY_BYTES));
        DirectoryEntries entries = new DirectoryEntries(target);
        files.readdir(FuseLayout.handle(fileInfo), offset, entries);
        reply.data(target.flip());
    }

    private void releasedir(Reply reply, long fileInfo) throws IOException {
        files.releasedir(FuseLayout.handle(fileInfo));
        reply.done();
    }

    private void fsyncdir(Reply reply, long fileInfo, int flags) throws IOException {
        files.fsyncdir(FuseLayout.handle(fileInfo), (flags & DATA_ONLY_BIT) != 0);
        reply.done();
    }
}
