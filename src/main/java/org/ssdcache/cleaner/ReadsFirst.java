package org.ssdcache.cleaner;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.ssdcache.cache.DirtyBlocks;
import org.ssdcache.io.Clock;

/**
 * Lets reads of the backing that applications wait for go before the requests of one batch, up to a
 * bound for the whole batch, since a batch holds claims on its blocks.
 */
final class ReadsFirst implements BatchGate {
    /**
     * Nobody tells when a read ends, so it is looked at so often; a seek takes several times that.
     */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final DirtyBlocks dirty;
    private final Clock clock;
    private final BooleanSupplier endWanted;
    private long patienceNanos;

    ReadsFirst(DirtyBlocks dirty, Clock clock, long patienceNanos, BooleanSupplier endWanted) {
        this.dirty = dirty;
        this.clock = clock;
        this.patienceNanos = patienceNanos;
        this.endWanted = endWanted;
    }

    @Override
    public synchronized void beforeRequest() {
        long start = clock.monotonicNanos();
        long waitedNanos = 0;
        try {
            while (dirty.foregroundReads() > 0
                    && waitedNanos < patienceNanos
                    && !endWanted.getAsBoolean()) {
                clock.waitOn(this, LOOK_NANOS);
                waitedNanos = clock.monotonicNanos() - start;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        patienceNanos -= waitedNanos;
    }

    @Override
    public boolean isEndWanted() {
        return endWanted.getAsBoolean();
    }
}
