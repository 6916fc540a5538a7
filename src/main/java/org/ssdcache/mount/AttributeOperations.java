package org.ssdcache.mount;

import java.io.IOException;
import org.ssdcache.file.FileSystem;
import org.ssdcache.file.Inode;
import org.ssdcache.io.ErrnoException;

/** Attributes of inodes and of the filesystem. */
final class AttributeOperations {
    private final FileSystem files;
    private final Timeouts timeouts;

    AttributeOperations(FileSystem files, Timeouts timeouts) {
        this.files = files;
        this.timeouts = timeouts;
    }

    void register(OperationTable table, Requests requests) {
        table.set(
                OperationTable.GETATTR,
                Callback.Of3.class,
                (req, inode, fileInfo) ->
                        requests.run("getattr", req, reply -> getattr(reply, inode)));
        table.set(
                OperationTable.SETATTR,
                Callback.Of5.class,
                (req, inode, stat, which, fileInfo) ->
                        requests.run(
                                "setattr", req, reply -> setattr(reply, inode, stat, (int) which)));
        table.set(
                OperationTable.READLINK,
                Callback.Of2.class,
                (req, inode) -> requests.run("readlink", req, reply -> readlink(reply, inode)));
        table.set(
                OperationTable.STATFS,
                Callback.Of2.class,
                (req, inode) -> requests.run("statfs", req, reply -> statfs(reply, inode)));
    }

    private void getattr(Reply reply, long inode) throws ErrnoException {
        reply.attributes(files.getattr(files.inode(inode)), timeouts);
    }

    private void setattr(Reply reply, long inode, long stat, int which) throws IOException {
        reply.attributes(
                files.setattr(files.inode(inode), FuseLayout.attributeChange(stat, which)),
                timeouts);
    }

    private void readlink(Reply reply, long inode) throws ErrnoException {
        reply.link(files.readlink(files.inode(inode)));
    }

    private void statfs(Reply reply, long number) throws IOException {
        Inode inode = files.inode(number);
        reply.statistics(statvfs -> files.statfs(inode, statvfs));
    }
}
