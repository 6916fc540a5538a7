package org.ssdcache.io;

/** Linux error numbers that the code names; the same on every architecture it runs on. */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EBUSY = 16;
    public static final int EEXIST = 17;
    public static final int EXDEV = 18;
    public static final int ENODEV = 19;
    public static final int ENOTDIR = 20;
    public static final int EISDIR = 21;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int ETXTBSY = 26;
    public static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int ERANGE = 34;
    public static final int ENAMETOOLONG = 36;
    public static final int ENOSYS = 38;
    public static final int ENOTEMPTY = 39;
    public static final int ELOOP = 40;
    public static final int ENODATA = 61;
    public static final int EOPNOTSUPP = 95;
    public static final int ENOTCONN = 107;
    public static final int ESTALE = 116;
    public static final int EDQUOT = 122;

    private Errno() {}

    /** The symbol and the C library's words for an error, as {@code ENOENT (No such file...)}. */
    public static String describe(int errno) {
        jnr.constants.platform.Errno known = jnr.constants.platform.Errno.valueOf(errno);
        return known == jnr.constants.platform.Errno.__UNKNOWN_CONSTANT__
                ? "errno " + errno
                : known.name() + " (" + known + ")";
    }
}
