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
 * place.
 *
 * <p>Who is inside must not wait for a sync, nor for anything that waits for one.
 */
final class ChangeGate {
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    /** Replaced as a whole when a sync takes the records. */
    private volatile Set<Integer> young = ConcurrentHashMap.newKeySet();

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

    boolean isYoung(int slot) {
        return young.contains(slot);
    }
}
