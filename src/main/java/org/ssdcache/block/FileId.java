package org.ssdcache.block;

/**
 * Which file, for as long as it exists and never again after.
 *
 * <p>An inode number alone is used again after unlink, so the birth time of the inode is part of
 * the identity.
 *
 * @param device 0 for the filesystem that holds the backing directory's root, else the {@code
 *     f_fsid} of the filesystem mounted below it; device numbers change from boot to boot
 * @param inode the inode number, {@code st_ino}
 * @param generation the inode's birth time in nanoseconds since 1970 ({@code stx_btime}), 0 where
 *     the filesystem keeps none
 */
public record FileId(long device, long inode, long generation) {}
