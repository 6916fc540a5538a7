package org.ssdcache.cache;

import java.util.concurrent.locks.ReentrantLock;
import org.ssdcache.block.FileId;

/**
 * Exclusive locks on blocks, striped. Whoever changes what a block's slot holds, or where it is,
 * holds the block's stripe; reading a hit takes none of them.
 */
final class BlockLocks {
    private static final int STRIPES = 4096;

    private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

    BlockLocks() {
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new ReentrantLock();
        }
    }

    /** A held range of blocks; closing it releases them. */
    final class Held implements AutoCloseable {
        private final int firstStripe;
        private final int count;

        private Held(int firstStripe, int count) {
            this.firstStripe = firstStripe;
            this.count = count;
        }

        @Override
        public void close() {
            for (int i = 0; i < count; i++) {
                stripes[(firstStripe + i) & (STRIPES - 1)].unlock();
            }
        }
    }

    /** Waits for one block. */
    Held lock(FileId file, int block) {
        return lock(file, block, block);
    }

    /** Waits for a contiguous range of blocks, stripes in ascending order. */
    Held lock(FileId file, int firstBlock, int lastBlock) {
        int first = stripeOf(file, firstBlock);
        int count = Math.min(lastBlock - firstBlock + 1, STRIPES);
        int beforeWrap = Math.min(count, STRIPES - first);
        for (int i = beforeWrap; i < count; i++) {
            stripes[first + i - STRIPES].lock();
        }
        for (int i = 0; i < beforeWrap; i++) {
            stripes[first + i].lock();
        }
        return new Held(first, count);
    }

    /** Takes one block if nobody holds it; null otherwise. */
    Held tryLock(FileId file, int block) {
        int stripe = stripeOf(file, block);
        return stripes[stripe].tryLock() ? new Held(stripe, 1) : null;
    }

    /**
     * Waits until everybody who holds a stripe now has let it go once: what they decided before is
     * done, and whoever comes later sees what the caller wrote before.
     */
    @SuppressWarnings("LockNotBeforeTry") // nothing happens between lock and unlock
    void barrier() {
        for (ReentrantLock stripe : stripes) {
            stripe.lock();
            stripe.unlock();
        }
    }

    private static int stripeOf(FileId file, int block) {
        return (file.hashCode() + block) & (STRIPES - 1);
    }
}
