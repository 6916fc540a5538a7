package org.ssdcache.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;

/**
 * Decides which workers listen for requests, and which sleep until they are needed.
 *
 * <p>The kernel wakes listeners in turn, so with 32 of them each request would run on a thread
 * whose stack and data have left the processor's caches; src/docs/decisions/0002 has the cost. So
 * only a few listen, and the worker that slept last is called first.
 *
 * <p>Invariant: somebody listens, or every worker is serving a request. The last listener to get a
 * request calls the next one before it begins, since its own request may wait for a disk.
 */
final class ListenerGate {
    // constant
    private final int maxListening;

    @GuardedBy("this")
    private final Deque<Semaphore> sleeping = new ArrayDeque<>();

    @GuardedBy("this")
    private int listening;

    @GuardedBy("this")
    private boolean ended;

    ListenerGate(int maxListening) {
        this.maxListening = maxListening;
    }

    /**
     * Waits until the calling worker is to listen.
     *
     * @param call what this worker, and no other, sleeps on
     * @return false when the session has ended
     */
    boolean awaitTurn(Semaphore call) {
        synchronized (this) {
            if (ended || listening < maxListening) {
                listening++;
                return !ended;
            }
            sleeping.push(call);
        }
        call.acquireUninterruptibly();
        synchronized (this) {
            return !ended;
        }
    }

    /** The calling worker got a request and listens no more. */
    void stopListening() {
        Semaphore next = null;
        synchronized (this) {
            listening--;
            if (listening == 0 && !sleeping.isEmpty()) {
                listening++;
                next = sleeping.pop();
            }
        }
        if (next != null) {
            next.release();
        }
    }

    /** No request will come any more: everybody wakes. */
    synchronized void end() {
        ended = true;
        while (!sleeping.isEmpty()) {
            sleeping.pop().release();
        }
    }

    synchronized int listening() {
        return listening;
    }

    synchronized int sleeping() {
        return sleeping.size();
    }
}
