package org.ssdcache.cache;

/**
 * How full the cache is and how it is doing.
 *
 * @param sizeBytes what the slots can hold together
 * @param usedBytes what the slots in use can hold together
 * @param degraded the SSD failed lately and the backing serves everything
 * @param failed the journal failed and the cache stays unused until the next mount
 */
public record CacheUsage(
        int blockBytes, long sizeBytes, long usedBytes, boolean degraded, boolean failed) {}
