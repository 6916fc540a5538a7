package org.ssdcache.io;

import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;

/** syncfs(2): a whole filesystem at once. */
public final class FilesystemSync {
    private static final Functions LIBC = LibraryLoader.create(Functions.class).load("c");

    /** Bound by jnr-ffi, which needs it public. */
    public interface Functions {
        int syncfs(int fd);
    }

    private FilesystemSync() {}

    /** Makes everything written to the filesystem that holds an open file durable. */
    public static void sync(int fd) throws ErrnoException {
        if (LIBC.syncfs(fd) != 0) {
            throw new ErrnoException(Runtime.getRuntime(LIBC).getLastError(), "syncfs");
        }
    }
}
