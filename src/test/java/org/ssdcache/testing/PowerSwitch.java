package org.ssdcache.testing;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/** What several disks of one machine share: they lose power at the same moment. */
public final class PowerSwitch {
    private static final long NEVER = Long.MAX_VALUE;

    @GuardedBy("this")
    private long operations;

    @GuardedBy("this")
    private long endsAt = NEVER;

    /** Power ends during the n-th operation from now on, on whichever disk. */
    public synchronized void endAfter(long n) {
        operations = 0;
        endsAt = n;
    }

    /** Power does not end any more. */
    public synchronized void restore() {
        endAfter(NEVER);
    }

    public synchronized boolean isGone() {
        return operations >= endsAt;
    }

    /** Operations since {@link #endAfter} or {@link #restore}. */
    public synchronized long operations() {
        return operations;
    }

    /** Whether power had ended before the operation that began last: nothing of it is done. */
    synchronized boolean wasGone() {
        return operations > endsAt;
    }

    /** Counts an operation that begins; whether there is power for it. */
    synchronized boolean begin() {
        operations++;
        return operations < endsAt;
    }
}
