package org.ssdcache.block;

/**
 * What the application sees of a file whose changes the backing does not have yet.
 *
 * @param sizeBytes length of the file
 * @param modifiedNanos mtime, nanoseconds since 1970
 * @param changedNanos ctime, nanoseconds since 1970
 * @param locator finds the file on the backing without its name
 */
public record PendingAttributes(
        long sizeBytes, long modifiedNanos, long changedNanos, FileLocator locator) {}
