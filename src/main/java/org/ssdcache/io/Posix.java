package org.ssdcache.io;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;

/**
 * System calls, with failures as {@link ErrnoException}.
 *
 * <p>Names are bytes, as Linux has them, and end with a NUL byte. Files that are already known are
 * reached by descriptor; where a call only takes a path, it goes through {@link #pathOf}, which
 * leads to exactly that inode.
 */
public final class Posix {
    /** The name that means the descriptor itself, together with AT_EMPTY_PATH. */
    static final byte[] NO_NAME = {0};

    /** Nanoseconds that stand for the current time. */
    public static final long UTIME_NOW = 0x3fffffff;

    /** Nanoseconds that leave a time as it is. */
    public static final long UTIME_OMIT = 0x3ffffffe;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int PATH_MAX = 4096;
    private static final int SEEK_SET = 0;
    private static final int FADV_WILLNEED = 3;
    private static final int FADV_DONTNEED = 4;
    private static final int SYNC_FILE_RANGE_WRITE = 2;
    private static final int RLIMIT_NOFILE = 7;
    private static final int CLONE_FS = 0x200;
    private static final int PR_SET_IO_FLUSHER = 57;
    private static final long SYS_GETDENTS64 = 217;
    private static final long SYS_MKNODAT = 259;
    private static final int STATFS_BYTES = 120;
    private static final int STATFS_FSID = 56;
    private static final int TIMES_BYTES = 32;

    static final LibC LIBC = load();
    private static final Runtime RUNTIME = Runtime.getRuntime(LIBC);

    /** Native memory for one call's result; each thread has its own. */
    private static final ThreadLocal<ScratchMemory> SCRATCH =
            ThreadLocal.withInitial(() -> new ScratchMemory(PATH_MAX));

    private Posix() {}

    private static LibC load() {
        String machine = System.getProperty("os.arch");
        String system = System.getProperty("os.name");
        if (!system.equals("Linux") || !machine.equals("amd64")) {
            throw new UnsupportedOperationException(
                    "system call numbers and structures are known for x86-64 Linux only, not for "
                            + system
                            + " on "
                            + machine);
        }
        return LibraryLoader.create(LibC.class).load("c");
    }

    /** A Java string as a name for this class. */
    public static byte[] name(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    /** The path that leads to exactly the inode behind a descriptor, also one opened O_PATH. */
    public static byte[] pathOf(int fd) {
        return name("/proc/self/fd/" + fd);
    }

    // ---- opening

    public static int open(String path, int flags, int mode) throws ErrnoException {
        int fd = LIBC.open(name(path), flags | OpenFlags.O_CLOEXEC, mode);
        return fd >= 0 ? fd : fail("open", path);
    }

    /** Opens the inode behind a descriptor again, with other flags. */
    public static int reopen(int fd, int flags) throws ErrnoException {
        return check(LIBC.open(pathOf(fd), flags | OpenFlags.O_CLOEXEC, 0), "open");
    }

    public static int openAt(int directory, byte[] name, int flags, int mode)
            throws ErrnoException {
        return check(LIBC.openat(directory, name, flags | OpenFlags.O_CLOEXEC, mode), "openat");
    }

    /**
     * Like {@link #openAt}, for names that often do not exist: a failure costs no exception.
     *
     * @return the descriptor, or the negated errno
     */
    public static int tryOpenAt(int directory, byte[] name, int flags) {
        int fd = LIBC.openat(directory, name, flags | OpenFlags.O_CLOEXEC, 0);
        return fd >= 0 ? fd : -errno();
    }

    public static void close(int fd) throws ErrnoException {
        check(LIBC.close(fd), "close");
    }

    // ---- data

    /** Reads once and returns the bytes read, 0 at the end of the file. */
    public static int pread(int fd, long address, int lengthBytes, long offsetBytes)
            throws ErrnoException {
        while (true) {
            long count = LIBC.pread(fd, address, lengthBytes, offsetBytes);
            if (count >= 0) {
                return (int) count;
            }
            retryOrFail("pread");
        }
    }

    /** Writes once and returns the bytes written, which may be fewer than asked for. */
    public static int pwrite(int fd, long address, int lengthBytes, long offsetBytes)
            throws ErrnoException {
        while (true) {
            long count = LIBC.pwrite(fd, address, lengthBytes, offsetBytes);
            if (count >= 0) {
                return (int) count;
            }
            retryOrFail("pwrite");
        }
    }

    public static void fsync(int fd) throws ErrnoException {
        check(LIBC.fsync(fd), "fsync");
    }

    public static void fdatasync(int fd) throws ErrnoException {
        check(LIBC.fdatasync(fd), "fdatasync");
    }

    public static void ftruncate(int fd, long sizeBytes) throws ErrnoException {
        check(LIBC.ftruncate(fd, sizeBytes), "ftruncate");
    }

    public static void fallocate(int fd, int mode, long offsetBytes, long lengthBytes)
            throws ErrnoException {
        while (LIBC.fallocate(fd, mode, offsetBytes, lengthBytes) != 0) {
            retryOrFail("fallocate");
        }
    }

    /** Advice only: a kernel that does not take it has lost nothing. */
    public static void forgetPages(int fd, long offsetBytes, long lengthBytes) {
        LIBC.posix_fadvise(fd, offsetBytes, lengthBytes, FADV_DONTNEED);
    }

    /** Advice that the range of a file will be read soon; failure means nothing. */
    static void expectPages(int fd, long offsetBytes, long lengthBytes) {
        LIBC.posix_fadvise(fd, offsetBytes, lengthBytes, FADV_WILLNEED);
    }

    /**
     * sync_file_range(2) without waiting: hands dirty pages of the range to the disk.
     *
     * @throws ErrnoException if they could not be handed over. No later call need tell of that:
     *     ext4 drops pages for which it cannot allocate blocks, and returns the error here only.
     */
    static void startWriteback(int fd, long offsetBytes, long lengthBytes) throws ErrnoException {
        try {
            check(
                    LIBC.sync_file_range(fd, offsetBytes, lengthBytes, SYNC_FILE_RANGE_WRITE),
                    "sync_file_range");
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENOSYS) {
                throw e;
            }
        }
    }

    /** flock(2); with LOCK_NB a lock held by somebody else is EAGAIN. */
    public static void flock(int fd, int operation) throws ErrnoException {
        check(LIBC.flock(fd, operation), "flock");
    }

    // ---- attributes

    public static FileStatus status(int fd) throws ErrnoException {
        return statusAt(fd, NO_NAME, OpenFlags.AT_EMPTY_PATH);
    }

    public static FileStatus statusAt(int directory, byte[] name, int flags) throws ErrnoException {
        long result = SCRATCH.get().address();
        check(LIBC.statx(directory, name, flags, FileStatus.STATX_WANTED, result), "statx");
        return FileStatus.read(result);
    }

    /** f_type of the filesystem that holds the file, as in linux/magic.h. */
    public static long filesystemType(int fd) throws ErrnoException {
        return NativeMemory.getLong(statfs(fd));
    }

    /** f_fsid of the filesystem that holds the file: stays the same over a reboot. */
    public static long filesystemId(int fd) throws ErrnoException {
        return NativeMemory.getLong(statfs(fd) + STATFS_FSID);
    }

    private static long statfs(int fd) throws ErrnoException {
        long result = SCRATCH.get().address();
        NativeMemory.clear(result, STATFS_BYTES);
        check(LIBC.fstatfs(fd, result), "fstatfs");
        return result;
    }

    /** Fills a struct statvfs at the address. */
    public static void fstatvfs(int fd, long result) throws ErrnoException {
        check(LIBC.fstatvfs(fd, result), "fstatvfs");
    }

    public static void chmod(int fd, int mode) throws ErrnoException {
        check(LIBC.chmod(pathOf(fd), mode), "chmod");
    }

    /** Changes owner and group; -1 keeps the one it stands for. */
    public static void chown(int fd, int uid, int gid) throws ErrnoException {
        check(LIBC.fchownat(fd, NO_NAME, uid, gid, OpenFlags.AT_EMPTY_PATH), "fchownat");
    }

    /** utimensat(2): the nanoseconds may be UTIME_NOW or UTIME_OMIT. */
    public static void setTimes(
            int fd, long accessSeconds, long accessNanos, long modifySeconds, long modifyNanos)
            throws ErrnoException {
        long times = SCRATCH.get().address();
        NativeMemory.clear(times, TIMES_BYTES);
        NativeMemory.putLong(times, accessSeconds);
        NativeMemory.putLong(times + 8, accessNanos);
        NativeMemory.putLong(times + 16, modifySeconds);
        NativeMemory.putLong(times + 24, modifyNanos);
        check(LIBC.utimensat(OpenFlags.AT_FDCWD, pathOf(fd), times, 0), "utimensat");
    }

    /** Sets the time of the last modification only, in nanoseconds since 1970. */
    static void setModified(int fd, long modifiedNanos) throws ErrnoException {
        setTimes(
                fd,
                0,
                UTIME_OMIT,
                Math.floorDiv(modifiedNanos, NANOS_PER_SECOND),
                Math.floorMod(modifiedNanos, NANOS_PER_SECOND));
    }

    public static void setXattr(int fd, byte[] name, long value, long lengthBytes, int flags)
            throws ErrnoException {
        check(LIBC.setxattr(pathOf(fd), name, value, lengthBytes, flags), "setxattr");
    }

    /** Returns the length of the value; with room for 0 bytes nothing is stored. */
    public static int getXattr(int fd, byte[] name, long value, long lengthBytes)
            throws ErrnoException {
        return (int) check(LIBC.getxattr(pathOf(fd), name, value, lengthBytes), "getxattr");
    }

    public static int listXattr(int fd, long list, long lengthBytes) throws ErrnoException {
        return (int) check(LIBC.listxattr(pathOf(fd), list, lengthBytes), "listxattr");
    }

    public static void removeXattr(int fd, byte[] name) throws ErrnoException {
        check(LIBC.removexattr(pathOf(fd), name), "removexattr");
    }

    // ---- names

    public static void mkdirAt(int directory, byte[] name, int mode) throws ErrnoException {
        check(LIBC.mkdirat(directory, name, mode), "mkdirat");
    }

    public static void mknodAt(int directory, byte[] name, int mode, long device)
            throws ErrnoException {
        check(LIBC.syscall(SYS_MKNODAT, directory, name, mode, device), "mknodat");
    }

    public static void symlinkAt(byte[] target, int directory, byte[] name) throws ErrnoException {
        check(LIBC.symlinkat(target, directory, name), "symlinkat");
    }

    public static void unlinkAt(int directory, byte[] name, int flags) throws ErrnoException {
        check(LIBC.unlinkat(directory, name, flags), "unlinkat");
    }

    public static void renameAt(int fromDirectory, byte[] from, int toDirectory, byte[] to)
            throws ErrnoException {
        check(LIBC.renameat(fromDirectory, from, toDirectory, to), "renameat");
    }

    /** One more name for the inode behind a descriptor. */
    public static void linkAt(int fd, int directory, byte[] name) throws ErrnoException {
        int result =
                LIBC.linkat(
                        OpenFlags.AT_FDCWD,
                        pathOf(fd),
                        directory,
                        name,
                        OpenFlags.AT_SYMLINK_FOLLOW);
        check(result, "linkat");
    }

    /** The target of the symbolic link behind an O_PATH descriptor, with a final NUL. */
    public static byte[] readLink(int fd) throws ErrnoException {
        long buffer = SCRATCH.get().address();
        int length = (int) check(LIBC.readlinkat(fd, NO_NAME, buffer, PATH_MAX), "readlinkat");
        byte[] target = new byte[length + 1];
        NativeMemory.getBytes(buffer, target, 0, length);
        return target;
    }

    /**
     * The next entries of a directory as struct linux_dirent64.
     *
     * @return bytes stored, 0 at the end
     */
    public static int readDirectory(int fd, long buffer, int lengthBytes) throws ErrnoException {
        return (int) check(LIBC.syscall(SYS_GETDENTS64, fd, buffer, lengthBytes), "getdents64");
    }

    public static void seek(int fd, long offset) throws ErrnoException {
        check(LIBC.lseek(fd, offset, SEEK_SET), "lseek");
    }

    // ---- mounts

    public static void umount(String path) throws ErrnoException {
        if (LIBC.umount2(name(path), 0) != 0) {
            fail("umount", path);
        }
    }

    /**
     * Changes the flags of a mount.
     *
     * @param flags all that it is to have, with MS_REMOUNT, as in linux/mount.h
     */
    public static void remount(String path, long flags) throws ErrnoException {
        if (LIBC.mount(null, name(path), null, flags, null) != 0) {
            fail("remount", path);
        }
    }

    // ---- the calling thread

    public static int effectiveUid() {
        return LIBC.geteuid();
    }

    public static int effectiveGid() {
        return LIBC.getegid();
    }

    /** Sets the umask of the process, or of the thread after {@link #separateUmask}. */
    public static void umask(int mask) {
        LIBC.umask(mask);
    }

    /** From here on the calling thread has a umask and a working directory of its own. */
    public static void separateUmask() throws ErrnoException {
        check(LIBC.unshare(CLONE_FS), "unshare");
    }

    /** Whose files the calling thread makes; the kernel gives no error for it. */
    public static void setFilesystemOwner(int uid, int gid) {
        LIBC.setfsgid(gid);
        LIBC.setfsuid(uid);
    }

    static void capGet(long header, long data) throws ErrnoException {
        check(LIBC.capget(header, data), "capget");
    }

    static void capSet(long header, long data) throws ErrnoException {
        check(LIBC.capset(header, data), "capset");
    }

    static void getOpenFileLimit(long limit) throws ErrnoException {
        check(LIBC.getrlimit(RLIMIT_NOFILE, limit), "getrlimit(RLIMIT_NOFILE)");
    }

    static void setOpenFileLimit(long limit) throws ErrnoException {
        check(LIBC.setrlimit(RLIMIT_NOFILE, limit), "setrlimit(RLIMIT_NOFILE)");
    }

    /**
     * Tells the kernel that the calling thread serves I/O, so that its allocations never wait for
     * writes that wait for this thread.
     */
    public static void becomeIoFlusher() throws ErrnoException {
        check(LIBC.prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0), "prctl(PR_SET_IO_FLUSHER)");
    }

    // ---- errors

    private static int errno() {
        return RUNTIME.getLastError();
    }

    static int check(int result, String call) throws ErrnoException {
        return result >= 0 ? result : fail(call, null);
    }

    private static long check(long result, String call) throws ErrnoException {
        return result >= 0 ? result : fail(call, null);
    }

    private static int fail(String call, String path) throws ErrnoException {
        int errno = errno();
        String where = path == null ? "" : " " + path;
        throw new ErrnoException(errno, call + where + ": " + Errno.describe(errno));
    }

    private static void retryOrFail(String call) throws ErrnoException {
        if (errno() != Errno.EINTR) {
            fail(call, null);
        }
    }
}
