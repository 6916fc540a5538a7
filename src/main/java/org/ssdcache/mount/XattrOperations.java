package org.ssdcache.mount;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.file.FileSystem;
import org.ssdcache.file.Inode;
import org.ssdcache.io.NativeMemory;
import org.ssdcache.io.ScratchMemory;

/**
 * Extended attributes, passed through. Registered only on request: while these are missing the
 * kernel knows after the first question that there are none, and does not ask for
 * security.capability before every write.
 */
final class XattrOperations {
    private static final int MAX_VALUE_BYTES = 1 << 16;

    private static final ThreadLocal<ScratchMemory> VALUE =
            ThreadLocal.withInitial(() -> new ScratchMemory(MAX_VALUE_BYTES));

    private final FileSystem files;

    XattrOperations(FileSystem files) {
        this.files = files;
    }

    void register(OperationTable table, Requests requests) {
        table.set(
                OperationTable.SETXATTR,
                Callback.Of6.class,
                (req, inode, name, value, length, flags) ->
                        requests.run(
                                "setxattr",
                                req,
                                reply -> set(reply, inode, name, value, length, (int) flags)));
        table.set(
                OperationTable.GETXATTR,
                Callback.Of4.class,
                (req, inode, name, length) ->
                        requests.run("getxattr", req, reply -> get(reply, inode, name, length)));
        table.set(
                OperationTable.LISTXATTR,
                Callback.Of3.class,
                (req, inode, length) ->
                        requests.run("listxattr", req, reply -> list(reply, inode, length)));
        table.set(
                OperationTable.REMOVEXATTR,
                Callback.Of3.class,
                (req, inode, name) ->
                        requests.run("removexattr", req, reply -> remove(reply, inode, name)));
    }

    private void set(Reply reply, long inode, long name, long value, long length, int flags)
            throws IOException {
        byte[] nameBytes = NativeMemory.copyCString(name);
        files.setxattr(files.inode(inode), nameBytes, value, length, flags);
        reply.done();
    }

    private void get(Reply reply, long number, long name, long length) throws IOException {
        Inode inode = files.inode(number);
        byte[] nameBytes = NativeMemory.copyCString(name);
        answer(reply, length, (address, room) -> files.getxattr(inode, nameBytes, address, room));
    }

    private void list(Reply reply, long number, long length) throws IOException {
        Inode inode = files.inode(number);
        answer(reply, length, (address, room) -> files.listxattr(inode, address, room));
    }

    /** Stores a value and returns its length. */
    private interface ValueSource {
        int fill(long address, int roomBytes) throws IOException;
    }

    /** A question with room for 0 bytes asks for the length only. */
    private static void answer(Reply reply, long length, ValueSource source) throws IOException {
        ScratchMemory memory = VALUE.get();
        int room = (int) Math.min(length, MAX_VALUE_BYTES);
        int stored = source.fill(memory.address(), room);
        if (room == 0) {
            reply.valueLength(stored);
        } else {
            ByteBuffer value = memory.buffer();
            reply.data(value.clear().limit(stored));
        }
    }

    private void remove(Reply reply, long inode, long name) throws IOException {
        files.removexattr(files.inode(inode), NativeMemory.copyCString(name));
        reply.done();
    }
}
