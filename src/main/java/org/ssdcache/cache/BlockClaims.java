package org.ssdcache.cache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.ssdcache.block.FileId;

/**
 * Blocks that somebody moves between backing and cache without holding their locks: readers that
 * fill them ({@code fills}), or the cleaner that brings them home ({@code cleanings}). A claim
 * keeps a block from being moved twice at a time, and tells whether a write overtook it.
 *
 * <p>bcache invalidated only before a bypassed write, and a concurrent miss could insert the old
 * bytes after it. Here the writer marks the fill after its own write ({@link #overtake}): a fill
 * claimed before that mark is dropped, one claimed after it reads the new bytes. Likewise a block
 * that was written while it was being cleaned stays dirty.
 */
final class BlockClaims {
    private record Key(FileId file, int block) {}

    /** One block on its way; held by whoever claimed it. */
    static final class Claim {
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile boolean overtaken;

        /** Whether a write to the block was issued since the claim: its bytes may be old. */
        boolean overtaken() {
            return overtaken;
        }

        private void awaitDone() {
            boolean interrupted = false;
            while (done.getCount() > 0) {
                try {
                    done.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private final ConcurrentHashMap<Key, Claim> claims = new ConcurrentHashMap<>();

    /** Claims a block; null when somebody else has it. */
    Claim claim(FileId file, int block) {
        Claim mine = new Claim();
        return claims.putIfAbsent(new Key(file, block), mine) == null ? mine : null;
    }

    /** Ends a claim, published or not, and wakes who waits for it. */
    void release(FileId file, int block, Claim claim) {
        claims.remove(new Key(file, block), claim);
        claim.done.countDown();
    }

    /** Whether somebody has this block. */
    boolean isClaimed(FileId file, int block) {
        return claims.containsKey(new Key(file, block));
    }

    /** Waits until nobody has this block any more who has it now; the caller holds no claim. */
    void await(FileId file, int block) {
        Claim theirs = claims.get(new Key(file, block));
        if (theirs != null) {
            theirs.awaitDone();
        }
    }

    /** The same for a range of blocks. */
    void awaitRange(FileId file, int firstBlock, int lastBlock) {
        claims.forEach(
                (key, claim) -> {
                    if (key.file().equals(file)
                            && key.block() >= firstBlock
                            && key.block() <= lastBlock) {
                        claim.awaitDone();
                    }
                });
    }

    /** The same for every block of this file. */
    void awaitAll(FileId file) {
        awaitRange(file, 0, Integer.MAX_VALUE);
    }

    /** A write was made: what was moved before it is not the block's content any more. */
    void overtake(FileId file, int firstBlock, int lastBlock) {
        for (int block = firstBlock; block <= lastBlock; block++) {
            Claim claim = claims.get(new Key(file, block));
            if (claim != null) {
                claim.overtaken = true;
            }
        }
    }

    /** The same for every block of a file, as after a truncate. */
    void overtakeAll(FileId file) {
        claims.forEach(
                (key, claim) -> {
                    if (key.file().equals(file)) {
                        claim.overtaken = true;
                    }
                });
    }
}
