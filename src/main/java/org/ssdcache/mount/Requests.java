package org.ssdcache.mount;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/**
 * Runs the body of every callback, so that each request gets exactly one answer whatever happens:
 * an exception that left a callback would become success.
 *
 * <p>An {@link ErrnoException} is an answer like any other. Anything else is a fault of this
 * program: EIO, and the log once per operation and kind of exception. What fails after the answer
 * (filling the cache) cannot reach the caller any more; it is counted, and logged the same way.
 */
final class Requests {
    private static final Logger LOG = LoggerFactory.getLogger(Requests.class);

    // dependencies
    private final LibFuse fuse;

    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    private final LongAdder lateFailures = new LongAdder();

    Requests(LibFuse fuse) {
        this.fuse = fuse;
    }

    /** What a callback does; gives one reply. */
    interface Body {
        void run(Reply reply) throws IOException;
    }

    void run(String operation, long request, Body body) {
        Reply reply = new Reply(fuse, request);
        int errno = Errno.EIO;
        try {
            body.run(reply);
            if (!reply.isGiven()) {
                throw new IllegalStateException("a request got no answer");
            }
        } catch (ErrnoException e) {
            errno = e.errno();
            if (reply.isGiven()) {
                failedLate(operation, e);
            }
        } catch (Throwable t) {
            failed(operation, reply, t);
        } finally {
            if (!reply.isGiven()) {
                reply.error(errno);
            }
        }
    }

    /** Operations that failed after their answer. */
    long lateFailures() {
        return lateFailures.sum();
    }

    private void failed(String operation, Reply reply, Throwable t) {
        if (reply.isGiven()) {
            failedLate(operation, t);
        } else {
            logOnce(operation + " failed by a fault of ssdcache", t);
        }
    }

    private void failedLate(String operation, Throwable t) {
        lateFailures.increment();
        logOnce(operation + " failed after its answer", t);
    }

    private void logOnce(String what, Throwable t) {
        if (logged.add(what + t.getClass().getName())) {
            LOG.error("{} (logged once for each kind)", what, t);
        }
    }
}
