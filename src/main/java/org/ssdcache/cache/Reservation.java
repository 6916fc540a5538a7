package org.ssdcache.cache;

/** What is known of the space that the backing holds for a file. */
final class Reservation {
    private static final long UNKNOWN = -1;

    private volatile long coveredBytes = UNKNOWN;
    private volatile boolean supported = true;

    boolean isKnown() {
        return coveredBytes != UNKNOWN;
    }

    /** From the file's start up to here every block has its space. */
    long coveredBytes() {
        return Math.max(0, coveredBytes);
    }

    void setCovered(long bytes) {
        coveredBytes = bytes;
    }

    /** Blocks from here on lost their space. */
    void cutTo(long bytes) {
        coveredBytes = Math.min(coveredBytes, bytes);
    }

    /** The backing cannot reserve space: its filesystem has no fallocate. */
    void setUnsupported() {
        supported = false;
    }

    boolean isSupported() {
        return supported;
    }
}
