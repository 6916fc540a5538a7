package org.ssdcache.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is open, closed in reverse order; a failure does not keep the rest open. */
final class Closings {
    private static final Logger LOG = LoggerFactory.getLogger(Closings.class);

    private final Deque<Closeable> open = new ArrayDeque<>();

    <T extends Closeable> T add(T resource) {
        open.push(resource);
        return resource;
    }

    /**
     * Closes everything.
     *
     * @return whether all went well; failures are in the log
     */
    boolean closeAll() {
        boolean wellDone = true;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (IOException | RuntimeException e) {
                LOG.error("Closing failed", e);
                wellDone = false;
            }
        }
        return wellDone;
    }
}
