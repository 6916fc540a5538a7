package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/**
 * Keeps the number of inodes' descriptors bounded: closes those that were not used for longest, in
 * the order of a queue with a second chance. Threads that open one at the same time may exceed the
 * bound by one each.
 *
 * <p>What cannot be closed adds up until {@link Shortage} has made the kernel forget inodes; at
 * {@link DescriptorLimits#most} further inodes are refused.
 *
 * <p>The lock is never held during a system call, nor while a {@link PathDescriptor}'s is taken.
 */
final class PathDescriptors {
    private static final Logger LOG = LoggerFactory.getLogger(PathDescriptors.class);

    // dependencies
    private final DescriptorLimits limits;
    private final Shortage shortage;

    // constant
    private final boolean canReopen;
    private final AtomicInteger held = new AtomicInteger();
    private final AtomicBoolean fullReported = new AtomicBoolean();

    /** Descriptors that may be closed, the longest unused first. */
    @GuardedBy("this")
    private final Set<PathDescriptor> queue = new LinkedHashSet<>();

    PathDescriptors(DescriptorLimits limits, Shortage shortage, boolean canReopen) {
        this.limits = limits;
        this.shortage = shortage;
        this.canReopen = canReopen;
    }

    /** How many descriptors are open. */
    int held() {
        return held.get();
    }

    /** Closes descriptors until there is room for one more, as far as they can be closed. */
    void makeRoom() {
        while (held.get() >= limits.kept() && closeOne()) {
            // The next one may be needed as well.
        }
    }

    /**
     * Makes room for an inode that the kernel does not know yet.
     *
     * @throws ErrnoException ENFILE if so many descriptors are needed that there is none left
     */
    void requireRoom() throws ErrnoException {
        makeRoom();
        if (held.get() >= limits.throttled()) {
            shortage.awaitRelief(() -> held.get() < limits.throttled());
        }
        if (held.get() < limits.most()) {
            return;
        }
        String reason = held.get() + " inodes in use; raise the limit of open files (LimitNOFILE=)";
        if (!fullReported.getAndSet(true)) {
            LOG.error("{}", reason);
        }
        throw new ErrnoException(Errno.ENFILE, reason);
    }

    /** False if every descriptor is needed. */
    private boolean closeOne() {
        for (int attempts = 2 * queued(); attempts >= 0; attempts--) {
            PathDescriptor oldest = takeOldest();
            if (oldest == null) {
                return false;
            }
            PathDescriptor.Release outcome = release(oldest);
            if (outcome == PathDescriptor.Release.CLOSED) {
                held.decrementAndGet();
                return true;
            }
            if (outcome == PathDescriptor.Release.IN_USE) {
                putBack(oldest);
            }
        }
        return false;
    }

    private static PathDescriptor.Release release(PathDescriptor descriptor) {
        try {
            return descriptor.release();
        } catch (ErrnoException e) {
            LOG.warn("an inode keeps its descriptor", e);
            return PathDescriptor.Release.NEEDED;
        }
    }

    private synchronized int queued() {
        return queue.size();
    }

    private synchronized PathDescriptor takeOldest() {
        Iterator<PathDescriptor> oldest = queue.iterator();
        if (!oldest.hasNext()) {
            return null;
        }
        PathDescriptor descriptor = oldest.next();
        oldest.remove();
        return descriptor;
    }

    private synchronized void putBack(PathDescriptor descriptor) {
        queue.add(descriptor);
    }

    /** A descriptor was opened. */
    void added(PathDescriptor descriptor) {
        int now = held.incrementAndGet();
        if (canReopen) {
            putBack(descriptor);
        }
        if (now > (canReopen ? limits.throttled() : limits.kept())) {
            shortage.report();
        }
    }

    /** A descriptor is closed because its inode is forgotten. */
    void removed(PathDescriptor descriptor) {
        int now = held.decrementAndGet();
        synchronized (this) {
            queue.remove(descriptor);
        }
        if (now < limits.throttled()) {
            shortage.relieved();
        }
    }
}
