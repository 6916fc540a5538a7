package org.ssdcache.metrics;

import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of one running daemon, from zero at its start. Any thread may add at any time; adding
 * allocates nothing and takes no lock.
 */
public final class Counters {
    private final LongAdder[] adders = new LongAdder[Counter.count()];

    public Counters() {
        for (int i = 0; i < adders.length; i++) {
            adders[i] = new LongAdder();
        }
    }

    public void add(Counter counter, long delta) {
        adders[counter.index()].add(delta);
    }

    /** The sum of everything added before the call; additions during it may or may not be in. */
    public long total(Counter counter) {
        return adders[counter.index()].sum();
    }
}
