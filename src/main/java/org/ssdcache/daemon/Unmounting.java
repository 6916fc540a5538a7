package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.control.DirtyLeft;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/**
 * The end of a mount, whoever asks for it: {@code ssdcache umount}, umount(8), or the signal
 * SIGTERM. Never lazily: a mount that is in use is served until it is no more.
 */
final class Unmounting {
    private static final Logger LOG = LoggerFactory.getLogger(Unmounting.class);
    private static final long RETRY_MILLIS = 500;

    private final Path mountpoint;
    private final Unmounter unmounter;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile String failure;
    private volatile boolean flushAtEnd;
    private volatile DirtyLeft left = new DirtyLeft(0, 0);

    /** Detaches the mount, unless it is in use. */
    @FunctionalInterface
    interface Unmounter {
        void unmount() throws IOException;
    }

    Unmounting(Path mountpoint, Unmounter unmounter) {
        this.mountpoint = mountpoint;
        this.unmounter = unmounter;
    }

    /**
     * Detaches the mount; its daemon then ends by itself.
     *
     * @param clean whether what is written until the end is to go home, too
     */
    void unmount(boolean clean) throws RefusedException {
        flushAtEnd = clean;
        try {
            unmounter.unmount();
        } catch (IOException e) {
            flushAtEnd = false;
            if (e instanceof ErrnoException failure && failure.errno() == Errno.EBUSY) {
                throw new RefusedException(
                        ExitCode.MOUNTPOINT_BUSY,
                        String.format(
                                "%s is in use; end the programs that \"fuser -vm %s\" shows and"
                                        + " try again.",
                                mountpoint, mountpoint),
                        e);
            }
            throw new RefusedException(
                    ExitCode.FAILURE,
                    String.format("%s cannot be unmounted: %s.", mountpoint, e.getMessage()),
                    e);
        }
    }

    /** What SIGTERM does: unmounts as soon as nobody uses the mount, serving it until then. */
    void unmountWhenFree() {
        boolean told = false;
        while (!isClosed()) {
            try {
                unmount(false);
                awaitClosed();
                return;
            } catch (RefusedException e) {
                if (!told) {
                    LOG.warn(
                            "Asked to end, but {} The mount is served until then.", e.getMessage());
                    told = true;
                }
                awaitClosed(RETRY_MILLIS);
            }
        }
    }

    boolean isToFlushAtEnd() {
        return flushAtEnd;
    }

    /**
     * Everything is closed; whoever waits for it goes on.
     *
     * @param reason what went wrong, a sentence; null if nothing did
     */
    void closed(String reason, DirtyLeft dirtyLeft) {
        failure = reason;
        left = dirtyLeft;
        closed.countDown();
    }

    boolean isClosed() {
        return closed.getCount() == 0;
    }

    void awaitClosed() {
        awaitClosed(Long.MAX_VALUE);
    }

    private void awaitClosed(long millis) {
        try {
            boolean ended = closed.await(millis, TimeUnit.MILLISECONDS);
            LOG.debug("Closed: {}", ended);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }

    /** What stayed in the cache. */
    DirtyLeft left() {
        return left;
    }

    /** What went wrong while closing, a sentence; null if nothing did. */
    String failure() {
        return failure;
    }
}
