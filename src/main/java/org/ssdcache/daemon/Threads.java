package org.ssdcache.daemon;

/** Waiting for threads that nobody interrupts. */
final class Threads {
    private Threads() {}

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }
}
