package org.ssdcache.metrics;

import java.util.Locale;

/** The stretches of time over which counts are reported; the names are a stable interface. */
public enum Window {
    /** Since the cache was made, over all mounts. */
    TOTAL(0, 0),
    DAY(900, 96),
    HOUR(60, 60),
    FIVE_MINUTE(10, 30);

    private final long bucketSeconds;
    private final int bucketCount;
    private final String label = name().toLowerCase(Locale.ROOT);

    Window(long bucketSeconds, int bucketCount) {
        this.bucketSeconds = bucketSeconds;
        this.bucketCount = bucketCount;
    }

    public String label() {
        return label;
    }

    long bucketSeconds() {
        return bucketSeconds;
    }

    int bucketCount() {
        return bucketCount;
    }

    boolean slides() {
        return bucketCount > 0;
    }
}
