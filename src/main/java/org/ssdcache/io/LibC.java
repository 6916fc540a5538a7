package org.ssdcache.io;

import jnr.ffi.annotations.IgnoreError;
import jnr.ffi.annotations.In;

/**
 * The C library's functions as they are; {@code long} is a pointer, a size_t or an off_t. For
 * {@link Posix} only, and public only because its implementation is generated in another class
 * loader.
 */
public interface LibC {
    int open(@In byte[] path, int flags, int mode);

    int openat(int directory, @In byte[] name, int flags, int mode);

    int close(int fd);

    long pread(int fd, long buffer, long lengthBytes, long offsetBytes);

    long pwrite(int fd, long buffer, long lengthBytes, long offsetBytes);

    int fsync(int fd);

    int fdatasync(int fd);

    int ftruncate(int fd, long sizeBytes);

    int fallocate(int fd, int mode, long offsetBytes, long lengthBytes);

    @IgnoreError
    int posix_fadvise(int fd, long offsetBytes, long lengthBytes, int advice);

    @IgnoreError
    int sync_file_range(int fd, long offsetBytes, long lengthBytes, int flags);

    long lseek(int fd, long offset, int whence);

    int flock(int fd, int operation);

    int name_to_handle_at(int directory, @In byte[] name, long handle, long mountId, int flags);

    int open_by_handle_at(int mount, long handle, int flags);

    int statx(int directory, @In byte[] name, int flags, int mask, long result);

    int fstatfs(int fd, long result);

    int fstatvfs(int fd, long result);

    int mkdirat(int directory, @In byte[] name, int mode);

    int unlinkat(int directory, @In byte[] name, int flags);

    int symlinkat(@In byte[] target, int directory, @In byte[] name);

    int renameat(int fromDirectory, @In byte[] from, int toDirectory, @In byte[] to);

    int linkat(int fromDirectory, @In byte[] from, int toDirectory, @In byte[] to, int flags);

    long readlinkat(int directory, @In byte[] name, long buffer, long lengthBytes);

    int chmod(@In byte[] path, int mode);

    int fchownat(int directory, @In byte[] name, int uid, int gid, int flags);

    int utimensat(int directory, @In byte[] name, long times, int flags);

    int setxattr(@In byte[] path, @In byte[] name, long value, long lengthBytes, int flags);

    long getxattr(@In byte[] path, @In byte[] name, long value, long lengthBytes);

    long listxattr(@In byte[] path, long list, long lengthBytes);

    int removexattr(@In byte[] path, @In byte[] name);

    int mount(@In byte[] source, @In byte[] path, @In byte[] type, long flags, @In byte[] data);

    int umount2(@In byte[] path, int flags);

    int socket(int family, int type, int protocol);

    long sendto(
            int fd,
            @In byte[] message,
            long lengthBytes,
            int flags,
            @In byte[] address,
            int addressBytes);

    @IgnoreError
    int umask(int mask);

    int unshare(int flags);

    @IgnoreError
    int setfsuid(int uid);

    @IgnoreError
    int setfsgid(int gid);

    int capget(long header, long data);

    int capset(long header, long data);

    int getrlimit(int resource, long limit);

    int setrlimit(int resource, long limit);

    int prctl(int option, long a, long b, long c, long d);

    @IgnoreError
    int geteuid();

    @IgnoreError
    int getegid();

    /** System calls that older C libraries have no function for. */
    long syscall(long number, long a, long b, long c);

    long syscall(long number, long a, @In byte[] b, long c, long d);
}
