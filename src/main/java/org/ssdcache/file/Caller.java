package org.ssdcache.file;

/**
 * The process that asks.
 *
 * @param uid its filesystem user
 * @param gid its filesystem group
 * @param task its thread id, 0 when the kernel itself asks
 * @param umask its umask
 */
public record Caller(int uid, int gid, int task, int umask) {}
