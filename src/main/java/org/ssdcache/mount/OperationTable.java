package org.ssdcache.mount;

import java.util.ArrayList;
import java.util.List;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import org.ssdcache.io.NativeMemory;

/**
 * A struct fuse_lowlevel_ops. Offsets are those of libfuse 2.9 (fuse_lowlevel.h) with pointers of 8
 * bytes; an operation that is not set is one that libfuse answers with ENOSYS.
 */
final class OperationTable {
    static final int BYTES = 328;

    static final int INIT = 0;
    static final int LOOKUP = 16;
    static final int FORGET = 24;
    static final int GETATTR = 32;
    static final int SETATTR = 40;
    static final int READLINK = 48;
    static final int MKNOD = 56;
    static final int MKDIR = 64;
    static final int UNLINK = 72;
    static final int RMDIR = 80;
    static final int SYMLINK = 88;
    static final int RENAME = 96;
    static final int LINK = 104;
    static final int OPEN = 112;
    static final int READ = 120;
    static final int WRITE = 128;
    static final int FLUSH = 136;
    static final int RELEASE = 144;
    static final int FSYNC = 152;
    static final int OPENDIR = 160;
    static final int READDIR = 168;
    static final int RELEASEDIR = 176;
    static final int FSYNCDIR = 184;
    static final int STATFS = 192;
    static final int SETXATTR = 200;
    static final int GETXATTR = 208;
    static final int LISTXATTR = 216;
    static final int REMOVEXATTR = 224;
    static final int CREATE = 240;
    static final int FORGET_MULTI = 304;
    static final int FALLOCATE = 320;

    private final long address = NativeMemory.allocateForever(BYTES);

    /** C code points into these, so they live as long as the table. */
    private final List<Object> keepReachable = new ArrayList<>();

    long address() {
        return address;
    }

    /** Makes a C function of the callback and enters it. */
    <T> void set(int offset, Class<T> type, T callback) {
        Pointer function =
                Runtime.getSystemRuntime().getClosureManager().getClosurePointer(type, callback);
        keepReachable.add(callback);
        keepReachable.add(function);
        NativeMemory.putLong(address + offset, function.address());
    }
}
