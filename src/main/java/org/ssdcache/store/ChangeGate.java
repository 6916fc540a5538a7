package org.ssdcache.store;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * Keeps the data of a slot and its record together: both are written inside the gate, and a sync
 * takes the records while nobody is inside.
 *
 * <p>It also knows which slots are young: they got a record with new data of dirty pages since a
 * sync last took the records, so no sync has promised what they hold and it may be overwritten in
 * place. And it knows of which slots it was said that pages of them are clean or given up, while
 * that may still be lost in a crash.
 *
 * <p>Who is inside must not wait for a sync, nor for anything that waits for one.
 */
final class ChangeGate {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    /** Replaced as a whole when a sync takes the records. */
    private volatile Set<Integer> young = ConcurrentHashMap.newKeySet();

    /** By slot, the last record that only made pages clean or invalid, unless known as durable. */
    private final ConcurrentHashMap<Integer, Long> marks = new ConcurrentHashMap<>();

    void enter() {
        refuseInside();
        lock.readLock().lock();
    }

    void leave() {
        lock.readLock().unlock();
    }

    /** Whether the calling thread is inside. */
    boolean isInside() {
        return lock.getReadHoldCount() > 0;
    }

    /**
     * @throws IllegalStateException if the calling thread is inside: it would wait for itself
     */
    void refuseInside() {
        if (isInside()) {
            throw new IllegalStateException("not inside a change of a slot");
        }
    }

    /** Takes something while nobody is inside; from then on no slot is young. */
    <T> T freeze(Supplier<T> take) {
        lock.writeLock().lock();
        try {
            if (!young.isEmpty()) {
                young = ConcurrentHashMap.newKeySet();
            }
            return take.get();
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** To be called before the record is appended: outside the gate a sync may come between. */
    void makeYoung(int slot) {
        young.add(slot);
    }

    void makeOld(int slot) {
        young.remove(slot);
    }

    /** A record says that pages of the slot are clean now, or not valid. */
    void mark(int slot, long sequence) {
        marks.put(slot, sequence);
    }

    /** What a slot was has nothing to do with what it is going to be. */
    void forget(int slot) {
        makeOld(slot);
        marks.remove(slot);
    }

    /** Records up to this one are durable. */
    void marksAreDurable(long sequence) {
        if (!marks.isEmpty()) {
            marks.values().removeIf(mark -> mark <= sequence);
        }
    }

    boolean isMarked(int slot) {
        return marks.containsKey(slot);
    }

    boolean isYoung(int slot) {
        return young.contains(slot);
    }
}
