package org.ssdcache.cache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntConsumer;
import org.ssdcache.io.Clock;

/**
 * Which slots hold dirty pages, since when, and how many of them each file has. Which pages they
 * are stands in the index. The holder of the block's lock changes it; anybody may ask.
 */
final class DirtySlots {
    private final AtomicLongArray bits;
    private final AtomicInteger count = new AtomicInteger();

    /** Changed in one step, since blocks of one file become dirty and clean at the same time. */
    private final ConcurrentHashMap<Integer, Integer> byFile = new ConcurrentHashMap<>();

    private final Clock clock;
    private final int slotCount;
    private final long startNanos;

    /** Seconds since the start at which the block became dirty; made with the first dirty block. */
    private volatile int[] since;

    DirtySlots(int slotCount, Clock clock) {
        this.bits = new AtomicLongArray((slotCount >> 6) + 1);
        this.slotCount = slotCount;
        this.clock = clock;
        this.startNanos = clock.monotonicNanos();
    }

    /** A slot became dirty now, unless it is so already. */
    void add(int file, int slot) {
        add(file, slot, now());
    }

    /** A block moved to another slot: if it was dirty it is as old as before. */
    void move(int file, int oldSlot, int newSlot) {
        int second = isDirty(oldSlot) ? since()[oldSlot] : now();
        remove(file, oldSlot);
        add(file, newSlot, second);
    }

    /** The slot counts as dirty since now. */
    void renew(int slot) {
        since()[slot] = now();
    }

    private void add(int file, int slot, int second) {
        if (!isDirty(slot)) {
            since()[slot] = second;
            bits.getAndUpdate(slot >> 6, word -> word | bit(slot));
            byFile.merge(file, 1, Integer::sum);
            count.incrementAndGet();
        }
    }

    /** A slot is not dirty any more; nothing happens if it was not. */
    void remove(int file, int slot) {
        if (isDirty(slot)) {
            bits.getAndUpdate(slot >> 6, word -> word & ~bit(slot));
            byFile.computeIfPresent(file, (number, blocks) -> blocks == 1 ? null : blocks - 1);
            count.decrementAndGet();
        }
    }

    boolean isDirty(int slot) {
        return (bits.get(slot >> 6) & bit(slot)) != 0;
    }

    int count() {
        return count.get();
    }

    /** How many dirty blocks a file has. */
    int countOf(int file) {
        return byFile.getOrDefault(file, 0);
    }

    /** Every slot that is dirty now, in order; may miss what changes meanwhile. */
    void forEach(IntConsumer action) {
        for (int word = 0; word < bits.length(); word++) {
            for (long rest = bits.get(word); rest != 0; rest &= rest - 1) {
                action.accept((word << 6) + Long.numberOfTrailingZeros(rest));
            }
        }
    }

    long ageNanos(int slot) {
        return TimeUnit.SECONDS.toNanos(Math.max(0, now() - since()[slot]));
    }

    long oldestAgeNanos() {
        if (count() == 0) {
            return 0;
        }
        AtomicInteger oldest = new AtomicInteger(now());
        int[] seconds = since();
        forEach(slot -> oldest.accumulateAndGet(seconds[slot], Math::min));
        return TimeUnit.SECONDS.toNanos(now() - oldest.get());
    }

    private int now() {
        return (int) TimeUnit.NANOSECONDS.toSeconds(clock.monotonicNanos() - startNanos);
    }

    private int[] since() {
        int[] known = since;
        return known != null ? known : makeSince();
    }

    private synchronized int[] makeSince() {
        if (since == null) {
            since = new int[slotCount];
        }
        return since;
    }

    private static long bit(int slot) {
        return 1L << (slot & 63);
    }
}
