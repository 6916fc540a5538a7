package org.ssdcache.cache;

/**
 * What the cache has and the backing has not.
 *
 * @param dirtyBytes bytes of the blocks that have dirty pages, counted whole
 * @param oldestDirtySeconds how long ago the block was written that has been dirty for longest
 */
public record DirtyUsage(long dirtyBytes, long dirtyBlocks, long oldestDirtySeconds) {}
