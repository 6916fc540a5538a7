package org.ssdcache.cache;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The reads of the backing that applications wait for; the cleaner lets them go first. */
final class ForegroundReads {
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicLong count = new AtomicLong();

    void begin() {
        underWay.incrementAndGet();
        count.incrementAndGet();
    }

    void end() {
        underWay.decrementAndGet();
    }

    int underWay() {
        return underWay.get();
    }

    long count() {
        return count.get();
    }
}
