package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Objects by small number, for the numbers that the kernel hands back with every request. Finding
 * one takes no lock and allocates nothing; numbers are used again, the lowest kept longest.
 */
final class Slab<T> {
    private static final int FIRST_CAPACITY = 64;

    /** Replaced by a larger copy under the lock; readers take what they see. */
    private volatile AtomicReferenceArray<T> slots = new AtomicReferenceArray<>(FIRST_CAPACITY);

    @GuardedBy("this")
    private int[] free = new int[FIRST_CAPACITY];

    @GuardedBy("this")
    private int freeCount;

    @GuardedBy("this")
    private int nextUnused;

    /**
     * Makes an empty table.
     *
     * @param firstNumber the first number given out
     */
    Slab(int firstNumber) {
        this.nextUnused = firstNumber;
    }

    /** The object behind a number, or null. */
    T get(long number) {
        AtomicReferenceArray<T> current = slots;
        return number >= 0 && number < current.length() ? current.get((int) number) : null;
    }

    synchronized int reserve() {
        if (freeCount > 0) {
            return free[--freeCount];
        }
        if (nextUnused == slots.length()) {
            grow();
        }
        return nextUnused++;
    }

    synchronized void set(int number, T object) {
        slots.set(number, object);
    }

    int add(T object) {
        int number = reserve();
        set(number, object);
        return number;
    }

    /** Takes the object out; its number may be given out again. */
    synchronized T remove(int number) {
        T object = slots.getAndSet(number, null);
        if (object != null) {
            if (freeCount == free.length) {
                free = Arrays.copyOf(free, free.length * 2);
            }
            free[freeCount++] = number;
        }
        return object;
    }

    /** How many numbers are in use. */
    synchronized int highestUsed() {
        return nextUnused;
    }

    @GuardedBy("this")
    private void grow() {
        AtomicReferenceArray<T> old = slots;
        AtomicReferenceArray<T> larger = new AtomicReferenceArray<>(old.length() * 2);
        for (int i = 0; i < old.length(); i++) {
            larger.set(i, old.get(i));
        }
        slots = larger;
    }
}
