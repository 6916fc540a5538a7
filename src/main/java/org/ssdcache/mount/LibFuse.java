package org.ssdcache.mount;

import jnr.ffi.annotations.IgnoreError;
import jnr.ffi.annotations.In;

/**
 * libfuse 2's low-level functions as they are (fuse_lowlevel.h); {@code long} is a pointer. Public
 * only because its implementation is generated in another class loader.
 */
public interface LibFuse {
    long fuse_mount(@In byte[] mountpoint, long args);

    @IgnoreError
    void fuse_unmount(@In byte[] mountpoint, long channel);

    long fuse_lowlevel_new(long args, long operations, long operationsBytes, long userData);

    @IgnoreError
    void fuse_session_add_chan(long session, long channel);

    @IgnoreError
    void fuse_session_remove_chan(long channel);

    @IgnoreError
    long fuse_chan_bufsize(long channel);

    @IgnoreError
    int fuse_chan_recv(long channelPointer, long buffer, long lengthBytes);

    @IgnoreError
    void fuse_session_process(long session, long buffer, long lengthBytes, long channel);

    @IgnoreError
    void fuse_session_destroy(long session);

    @IgnoreError
    int fuse_lowlevel_notify_inval_entry(
            long channel, long parent, @In byte[] name, long lengthBytes);

    @IgnoreError
    long fuse_req_ctx(long request);

    @IgnoreError
    int fuse_reply_err(long request, int errno);

    @IgnoreError
    void fuse_reply_none(long request);

    @IgnoreError
    int fuse_reply_entry(long request, long entry);

    @IgnoreError
    int fuse_reply_create(long request, long entry, long fileInfo);

    @IgnoreError
    int fuse_reply_attr(long request, long stat, double timeoutSeconds);

    @IgnoreError
    int fuse_reply_readlink(long request, @In byte[] target);

    @IgnoreError
    int fuse_reply_open(long request, long fileInfo);

    @IgnoreError
    int fuse_reply_write(long request, long lengthBytes);

    @IgnoreError
    int fuse_reply_buf(long request, long data, long lengthBytes);

    @IgnoreError
    int fuse_reply_statfs(long request, long statvfs);

    @IgnoreError
    int fuse_reply_xattr(long request, long lengthBytes);
}
