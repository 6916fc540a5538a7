package org.ssdcache.mount;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.ssdcache.file.Caller;
import org.ssdcache.file.Inode;
import org.ssdcache.file.OpenResult;
import org.ssdcache.io.DirectBuffers;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.ScratchMemory;

/**
 * The answer to one request of the kernel: exactly one must be given, after which the request no
 * longer exists. Used by the thread that serves the request.
 *
 * <p>Methods that hand something over return false when the kernel did not take it, because the
 * asking process was killed meanwhile; what was handed over must then be taken back.
 */
final class Reply {
    private static final ThreadLocal<ScratchMemory> STRUCTURE =
            ThreadLocal.withInitial(() -> new ScratchMemory(FuseLayout.ENTRY_BYTES));

    private final LibFuse fuse;
    private final long request;
    private boolean given;

    Reply(LibFuse fuse, long request) {
        this.fuse = fuse;
        this.request = request;
    }

    boolean isGiven() {
        return given;
    }

    /** Who asks; only before the answer. */
    Caller caller() {
        return FuseLayout.caller(fuse.fuse_req_ctx(request));
    }

    /** The asking thread; only before the answer. */
    int task() {
        return FuseLayout.task(fuse.fuse_req_ctx(request));
    }

    private void give() {
        if (given) {
            throw new IllegalStateException("a request was answered twice");
        }
        given = true;
    }

    void done() {
        error(0);
    }

    void error(int errno) {
        give();
        fuse.fuse_reply_err(request, errno);
    }

    /** For forget, which the kernel does not wait for. */
    void none() {
        give();
        fuse.fuse_reply_none(request);
    }

    boolean entry(Inode inode, FileStatus status, Timeouts timeouts) {
        long entry = STRUCTURE.get().address();
        FuseLayout.putEntry(entry, inode.number(), inode.generation(), status, timeouts);
        give();
        return fuse.fuse_reply_entry(request, entry) == 0;
    }

    void missing(Timeouts timeouts) {
        long entry = STRUCTURE.get().address();
        FuseLayout.putMissingEntry(entry, timeouts);
        give();
        fuse.fuse_reply_entry(request, entry);
    }

    void attributes(FileStatus status, Timeouts timeouts) {
        long stat = STRUCTURE.get().address();
        FuseLayout.putStat(stat, status);
        give();
        fuse.fuse_reply_attr(request, stat, timeouts.attributeSeconds());
    }

    boolean opened(long fileInfo, int handle, boolean keepPages) {
        FuseLayout.setHandle(fileInfo, handle, keepPages);
        give();
        return fuse.fuse_reply_open(request, fileInfo) == 0;
    }

    boolean created(OpenResult result, FileStatus status, long fileInfo, Timeouts timeouts) {
        long entry = STRUCTURE.get().address();
        Inode inode = result.inode();
        FuseLayout.putEntry(entry, inode.number(), inode.generation(), status, timeouts);
        FuseLayout.setHandle(fileInfo, result.handle(), result.keepPages());
        give();
        return fuse.fuse_reply_create(request, entry, fileInfo) == 0;
    }

    void written(int lengthBytes) {
        give();
        fuse.fuse_reply_write(request, lengthBytes);
    }

    /** Bytes of a direct buffer, copied by the kernel before this returns. */
    void data(ByteBuffer data) {
        give();
        try {
            fuse.fuse_reply_buf(request, DirectBuffers.addressOf(data), data.remaining());
        } finally {
            Reference.reachabilityFence(data);
        }
    }

    void link(byte[] target) {
        give();
        fuse.fuse_reply_readlink(request, target);
    }

    /** Fills a struct statvfs and sends it. */
    void statistics(StatvfsSource source) throws IOException {
        long statvfs = STRUCTURE.get().address();
        source.fill(statvfs);
        give();
        fuse.fuse_reply_statfs(request, statvfs);
    }

    /** The length of a value that was only asked for its length. */
    void valueLength(int lengthBytes) {
        give();
        fuse.fuse_reply_xattr(request, lengthBytes);
    }

    /** Writes a struct statvfs at an address. */
    interface StatvfsSource {
        void fill(long statvfs) throws IOException;
    }
}
