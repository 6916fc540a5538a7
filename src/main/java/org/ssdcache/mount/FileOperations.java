package org.ssdcache.mount;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.file.FileSystem;
import org.ssdcache.file.OpenResult;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.NativeMemory;

/** Regular files: opening, reading, writing, syncing. */
final class FileOperations {
    private static final int DATA_ONLY_BIT = 1;

    private final FileSystem files;
    private final Timeouts timeouts;

    FileOperations(FileSystem files, Timeouts timeouts) {
        this.files = files;
        this.timeouts = timeouts;
    }

    void register(OperationTable table, Requests requests) {
        table.set(
                OperationTable.OPEN,
                Callback.Of3.class,
                (req, inode, fileInfo) ->
                        requests.run("open", req, reply -> open(reply, inode, fileInfo)));
        table.set(
                OperationTable.CREATE,
                Callback.Of5.class,
                (req, parent, name, mode, fileInfo) ->
                        requests.run(
                                "create",
                                req,
                                reply -> create(reply, parent, name, (int) mode, fileInfo)));
        table.set(
                OperationTable.READ,
                Callback.Of5.class,
                (req, inode, length, offset, fileInfo) ->
                        requests.run(
                                "read", req, reply -> read(reply, fileInfo, offset, (int) length)));
        table.set(
                OperationTable.WRITE,
                Callback.Of6.class,
                (req, inode, data, length, offset, fileInfo) ->
                        requests.run(
                                "write",
                                req,
                                reply -> write(reply, fileInfo, data, (int) length, offset)));
        table.set(
                OperationTable.FLUSH,
                Callback.Of3.class,
                (req, inode, fileInfo) ->
                        requests.run("flush", req, reply -> flush(reply, fileInfo)));
        table.set(
                OperationTable.RELEASE,
                Callback.Of3.class,
                (req, inode, fileInfo) ->
                        requests.run("release", req, reply -> release(reply, fileInfo)));
        table.set(
                OperationTable.FSYNC,
                Callback.Of4.class,
                (req, inode, dataOnly, fileInfo) ->
                        requests.run(
                                "fsync", req, reply -> fsync(reply, fileInfo, (int) dataOnly)));
        table.set(
                OperationTable.FALLOCATE,
                Callback.Of6.class,
                (req, inode, mode, offset, length, fileInfo) ->
                        requests.run(
                                "fallocate",
                                req,
                                reply -> fallocate(reply, fileInfo, (int) mode, offset, length)));
    }

    private void open(Reply reply, long inode, long fileInfo) throws IOException {
        OpenResult result = files.open(files.inode(inode), FuseLayout.flags(fileInfo));
        if (!reply.opened(fileInfo, result.handle(), result.keepPages())) {
            files.release(result.handle());
        }
    }

    private void create(Reply reply, long parent, long name, int mode, long fileInfo)
            throws IOException {
        OpenResult result =
                files.create(
                        files.inode(parent),
                        NativeMemory.copyCString(name),
                        mode,
                        FuseLayout.flags(fileInfo),
                        reply.caller());
        boolean taken = false;
        try {
            FileStatus status = files.getattr(result.inode());
            taken = reply.created(result, status, fileInfo, timeouts);
        } finally {
            if (!taken) {
                files.release(result.handle());
                files.forget(result.inode(), 1);
            }
        }
    }

    /** The answer goes out as soon as the data is there; the cache may go on working after it. */
    private void read(Reply reply, long fileInfo, long offset, int lengthBytes) throws IOException {
        files.read(FuseLayout.handle(fileInfo), offset, lengthBytes, reply.task(), reply::data);
    }

    /** The data stays in libfuse's own buffer, which lives until the callback returns. */
    private void write(Reply reply, long fileInfo, long data, int lengthBytes, long offset)
            throws IOException {
        ByteBuffer source = NativeMemory.view(data, lengthBytes);
        files.write(FuseLayout.handle(fileInfo), source, offset, reply.task());
        reply.written(lengthBytes);
    }

    /** Its error is what close(2) returns. */
    private void flush(Reply reply, long fileInfo) throws IOException {
        files.flush(FuseLayout.handle(fileInfo));
        reply.done();
    }

    private void release(Reply reply, long fileInfo) throws IOException {
        files.release(FuseLayout.handle(fileInfo));
        reply.done();
    }

    private void fsync(Reply reply, long fileInfo, int flags) throws IOException {
        files.fsync(FuseLayout.handle(fileInfo), (flags & DATA_ONLY_BIT) != 0);
        reply.done();
    }

    private void fallocate(Reply reply, long fileInfo, int mode, long offset, long lengthBytes)
            throws IOException {
        files.fallocate(FuseLayout.handle(fileInfo), mode, offset, lengthBytes);
        reply.done();
    }
}
