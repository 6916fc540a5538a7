package org.ssdcache.cache;

/**
 * Answers one question: which slot should go next? Told of every insertion and every hit; decides
 * nothing else.
 */
interface EvictionPolicy {
    /** No slot can be evicted. */
    int NONE = -1;

    /** A block was put into this slot. */
    void inserted(int slot);

    /** A read or a write found its block in this slot; called by many threads, must be cheap. */
    void touched(int slot);

    /** The slot to evict next, or {@link #NONE}; called by one thread at a time. */
    int victim();
}
