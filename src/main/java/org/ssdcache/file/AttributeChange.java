package org.ssdcache.file;

/**
 * Which attributes to set, and to what.
 *
 * @param which sum of the bits below; values of other attributes mean nothing
 */
public record AttributeChange(
        int which,
        int mode,
        int uid,
        int gid,
        long sizeBytes,
        long accessSeconds,
        long accessNanos,
        long modifySeconds,
        long modifyNanos) {
    public static final int MODE = 1;
    public static final int UID = 1 << 1;
    public static final int GID = 1 << 2;
    public static final int SIZE = 1 << 3;
    public static final int ACCESS_TIME = 1 << 4;
    public static final int MODIFY_TIME = 1 << 5;
    public static final int ACCESS_TIME_NOW = 1 << 7;
    public static final int MODIFY_TIME_NOW = 1 << 8;

    boolean has(int bit) {
        return (which & bit) != 0;
    }
}
