package org.ssdcache.io;

/**
 * What statx(2) tells about an inode. Times are seconds and nanoseconds since 1970.
 *
 * @param device st_dev in the C library's encoding
 * @param mode file type and permission bits
 * @param specialDevice st_rdev in the C library's encoding
 * @param blocks allocated units of 512 bytes
 * @param birthNanos creation time of the inode in nanoseconds since 1970; 0 where the filesystem
 *     keeps none
 */
public record FileStatus(
        long device,
        long inode,
        int mode,
        int links,
        int uid,
        int gid,
        long specialDevice,
        long sizeBytes,
        int preferredIoBytes,
        long blocks,
        long accessSeconds,
        int accessNanos,
        long modifySeconds,
        int modifyNanos,
        long changeSeconds,
        int changeNanos,
        long birthNanos) {
    public static final int TYPE_MASK = 0170000;
    public static final int TYPE_REGULAR = 0100000;
    public static final int TYPE_DIRECTORY = 0040000;
    public static final int TYPE_SYMLINK = 0120000;

    private static final int PERMISSION_BITS = 07777;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final int BYTES_PER_BLOCK = 512;

    /** Size of struct statx. */
    static final int STATX_BYTES = 256;

    private static final int STATX_BTIME = 0x800;

    /** STATX_BASIC_STATS and STATX_BTIME. */
    static final int STATX_WANTED = 0x7ff | STATX_BTIME;

    /** Reads a struct statx; its layout is the same on every architecture. */
    static FileStatus read(long statx) {
        boolean hasBirth = (NativeMemory.getInt(statx) & STATX_BTIME) != 0;
        return new FileStatus(
                device(NativeMemory.getInt(statx + 136), NativeMemory.getInt(statx + 140)),
                NativeMemory.getLong(statx + 32),
                NativeMemory.getShort(statx + 28) & 0xffff,
                NativeMemory.getInt(statx + 16),
                NativeMemory.getInt(statx + 20),
                NativeMemory.getInt(statx + 24),
                device(NativeMemory.getInt(statx + 128), NativeMemory.getInt(statx + 132)),
                NativeMemory.getLong(statx + 40),
                NativeMemory.getInt(statx + 4),
                NativeMemory.getLong(statx + 48),
                NativeMemory.getLong(statx + 64),
                NativeMemory.getInt(statx + 72),
                NativeMemory.getLong(statx + 112),
                NativeMemory.getInt(statx + 120),
                NativeMemory.getLong(statx + 96),
                NativeMemory.getInt(statx + 104),
                hasBirth ? nanos(statx + 80) : 0);
    }

    private static long nanos(long timestamp) {
        return NativeMemory.getLong(timestamp) * NANOS_PER_SECOND
                + NativeMemory.getInt(timestamp + 8);
    }

    /** The C library's makedev(3). */
    private static long device(int major, int minor) {
        return ((major & 0xfffff000L) << 32)
                | ((major & 0xfffL) << 8)
                | ((minor & 0xffffff00L) << 12)
                | (minor & 0xff);
    }

    /** The same attributes with another size. */
    public FileStatus withSize(long otherSizeBytes) {
        return otherSizeBytes == sizeBytes
                ? this
                : with(mode, otherSizeBytes, modifiedNanos(), changedNanos());
    }

    /** The same attributes with other permission bits; the file type stays. */
    public FileStatus withPermissions(int permissions) {
        int otherMode = type() | (permissions & PERMISSION_BITS);
        return otherMode == mode
                ? this
                : with(otherMode, sizeBytes, modifiedNanos(), changedNanos());
    }

    /** The same attributes with other times, in nanoseconds since 1970. */
    public FileStatus withTimes(long modifiedNanos, long changedNanos) {
        return with(mode, sizeBytes, modifiedNanos, changedNanos);
    }

    private FileStatus with(
            int otherMode, long otherSizeBytes, long modifiedNanos, long changedNanos) {
        return new FileStatus(
                device,
                inode,
                otherMode,
                links,
                uid,
                gid,
                specialDevice,
                otherSizeBytes,
                preferredIoBytes,
                blocks,
                accessSeconds,
                accessNanos,
                Math.floorDiv(modifiedNanos, NANOS_PER_SECOND),
                (int) Math.floorMod(modifiedNanos, NANOS_PER_SECOND),
                Math.floorDiv(changedNanos, NANOS_PER_SECOND),
                (int) Math.floorMod(changedNanos, NANOS_PER_SECOND),
                birthNanos);
    }

    /** Permission bits, with setuid, setgid and sticky bit. */
    public int permissions() {
        return mode & PERMISSION_BITS;
    }

    public int type() {
        return mode & TYPE_MASK;
    }

    public boolean isRegular() {
        return type() == TYPE_REGULAR;
    }

    public boolean isDirectory() {
        return type() == TYPE_DIRECTORY;
    }

    public long allocatedBytes() {
        return blocks * BYTES_PER_BLOCK;
    }

    public long modifiedNanos() {
        return modifySeconds * NANOS_PER_SECOND + modifyNanos;
    }

    public long changedNanos() {
        return changeSeconds * NANOS_PER_SECOND + changeNanos;
    }
}
