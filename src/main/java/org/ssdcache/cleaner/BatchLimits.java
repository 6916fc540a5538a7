package org.ssdcache.cleaner;

/**
 * Where a batch ends: at the end of the write that reaches one of these.
 *
 * @param blocks dirty blocks
 * @param nanos time that the backing is expected to take
 */
record BatchLimits(int blocks, long nanos) {}
