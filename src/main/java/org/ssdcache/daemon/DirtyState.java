package org.ssdcache.daemon;

/**
 * What of a cache the backing directory does not have.
 *
 * @param bytes what the dirty blocks hold
 * @param oldestSeconds age of the oldest of them, 0 when there are none
 * @param rateBytesPerSecond how fast they go home at present
 * @param draining whether they all go home because the mode left writeback
 * @param clean whether the backing directory has everything, lengths and times of files included
 */
record DirtyState(
        long blocks,
        long bytes,
        long oldestSeconds,
        long rateBytesPerSecond,
        boolean draining,
        boolean clean) {
    static final DirtyState CLEAN = new DirtyState(0, 0, 0, 0, false, true);
}
