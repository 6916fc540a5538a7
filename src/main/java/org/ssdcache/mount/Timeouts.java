package org.ssdcache.mount;

/**
 * How long the kernel may keep what it was told.
 *
 * @param entrySeconds that a name leads to an inode
 * @param missingSeconds that a name does not exist; 0 to ask every time
 * @param attributeSeconds attributes of an inode
 */
record Timeouts(double entrySeconds, double missingSeconds, double attributeSeconds) {
    /** In place nobody but the kernel itself can change anything. */
    private static final Timeouts IN_PLACE = new Timeouts(3600, 3600, 3600);

    /** The backing stays reachable beside the mount, and changes there are to be seen. */
    private static final Timeouts ELSEWHERE = new Timeouts(1, 0, 1);

    static Timeouts of(boolean inPlace) {
        return inPlace ? IN_PLACE : ELSEWHERE;
    }
}
