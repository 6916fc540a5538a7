package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * Whether a file's existence, names and attributes are durable on the backing, and what earlier
 * openers wrote there: a sync of the file must reach the backing when any of it changed since the
 * last one.
 *
 * <p>Changes are counted, so that of two syncs at the same time both reach the backing, and a
 * change during a sync waits for the next one. A file that the kernel did not know counts as
 * changed: it may have been made just before, by a daemon that was killed, or before the kernel
 * forgot it.
 */
final class NameChanges {
    @GuardedBy("this")
    private long changes = 1;

    @GuardedBy("this")
    private long durable;

    /** Something changed; called after the call that did it and before its caller hears of it. */
    synchronized void changed() {
        changes++;
    }

    /** How many changes there were; what a sync that begins now makes durable. */
    synchronized long count() {
        return changes;
    }

    /** Whether so many changes are durable. */
    synchronized boolean areDurable(long count) {
        return durable >= count;
    }

    /** A sync of the backing file has succeeded that began at this count. */
    synchronized void durable(long count) {
        durable = Math.max(durable, count);
    }
}
