package org.ssdcache.cleaner;

import java.util.concurrent.TimeUnit;

/** How hard the cleaner works. */
enum Speed {
    /**
     * Applications read the backing: at the controller's rate, in short batches, behind the reads.
     */
    PACED(100, 500),

    /** Nobody reads the backing: as fast as it can, as long as that is so. */
    IDLE(500, 500),

    /** Writers are held back, or everything is to go home: as fast as it can, reads a bit first. */
    URGENT(1_000, 200),

    /** The cache is almost full of dirty blocks: as fast as it can. */
    FULL(1_000, 0);

    private final long batchNanos;
    private final long patienceNanos;

    Speed(long batchMillis, long patienceMillis) {
        this.batchNanos = TimeUnit.MILLISECONDS.toNanos(batchMillis);
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    }

    /** How long the backing may be busy with one batch. */
    long batchNanos() {
        return batchNanos;
    }

    /** How long one batch waits for reads in all. */
    long patienceNanos() {
        return patienceNanos;
    }
}
