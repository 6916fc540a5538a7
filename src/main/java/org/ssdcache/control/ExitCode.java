package org.ssdcache.control;

/**
 * The exit codes of every command, described in COMMAND-LINE.md. A stable interface: a number never
 * changes its meaning, and one that is given up is never used again.
 */
public enum ExitCode {
    /** Done. */
    OK(0),
    /** Failed for a reason that has no code of its own; the message says which. */
    FAILURE(1),
    /** The command line is wrong: unknown option or key, a value that cannot be. */
    USAGE(2),
    /** A directory or file that was named does not exist or is of the wrong kind. */
    NO_SUCH_PATH(3),
    /** The mountpoint is an ssdcache mount already. */
    ALREADY_MOUNTED(4),
    /** Another daemon uses the cache. */
    CACHE_BUSY(5),
    /** Another daemon uses the backing directory, one inside it or one around it. */
    BACKING_BUSY(6),
    /** Backing, mountpoint, cache, log or program lie inside each other. */
    OVERLAP(7),
    /** The cache does not fit on its disk, or the directory for temporary files is full. */
    NO_SPACE(8),
    /** The kernel's FUSE device or the libfuse library is missing. */
    FUSE_MISSING(9),
    /** The caller may not do this. */
    PERMISSION(10),
    /** The daemon of a mount has died, and the dead mount is in the way. */
    DEAD_MOUNT(11),
    /** The mount is in use and cannot be unmounted. */
    MOUNTPOINT_BUSY(12),
    /** It took longer than allowed. */
    TIMEOUT(13),
    /** The directory is not an ssdcache mount. */
    NOT_MOUNTED(14),
    /** The daemon died while it was starting or answering, or cannot be reached. */
    DAEMON_DIED(15),
    /**
     * The cache is damaged, of another version, shape or backing directory, or not the one that a
     * locked backing directory needs.
     */
    CACHE_UNUSABLE(16),
    /** This version does not offer that. */
    UNSUPPORTED(17),
    /** A file has changes in the cache and was changed in the backing directory, too. */
    CONFLICT(18),
    /** Nothing is mounted, but a cache holds changes that the backing directory lacks. */
    DIRTY(19),
    /** The check of a cache found damage that costs nothing but cached blocks. */
    CHECK_REPAIRABLE(20),
    /** The check of a cache found damage that costs changes the backing directory lacks. */
    CHECK_LOSS(21),
    /** Stopped before its end, or not confirmed. */
    ABORTED(22),
    /** The mount has a cache already, or has none, and the command needs it otherwise. */
    CACHE_STATE(23);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** The code of a number that came over the wire; {@link #FAILURE} for an unknown one. */
    public static ExitCode of(int number) {
        for (ExitCode code : values()) {
            if (code.number == number) {
                return code;
            }
        }
        return FAILURE;
    }
}
