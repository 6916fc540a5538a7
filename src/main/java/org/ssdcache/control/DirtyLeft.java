package org.ssdcache.control;

/**
 * What a mount left in its cache when it ended, for the next mount to take up; nothing after a
 * flush.
 *
 * @param blocks blocks that the backing directory does not have
 * @param bytes what they hold
 */
public record DirtyLeft(long blocks, long bytes) {}
