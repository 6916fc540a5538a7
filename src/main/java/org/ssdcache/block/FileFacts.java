package org.ssdcache.block;

/**
 * What tells whether a file's content may have changed: compared with what the daemon itself left,
 * a difference means that somebody else wrote.
 *
 * @param sizeBytes length of the file
 * @param modifiedNanos mtime, nanoseconds since 1970
 * @param changedNanos ctime, nanoseconds since 1970
 */
public record FileFacts(long sizeBytes, long modifiedNanos, long changedNanos) {}
