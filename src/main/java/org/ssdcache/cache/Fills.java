package org.ssdcache.cache;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.ssdcache.block.FileId;

/**
 * The blocks being read from the backing right now, so that a block is read once however many
 * readers miss it, and so that a fill that a write overtook is not published.
 *
 * <p>bcache invalidated only before a bypassed write, and a concurrent miss could insert the old
 * bytes after it. Here the writer marks the fill after its own write to the backing ({@link
 * #overtake}): a fill claimed before that mark is dropped, one claimed after it reads the new
 * bytes.
 */
final class Fills {
    private record Key(FileId file, int block) {}

    /** One block on its way; held by the reader that claimed it. */
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

    /** Claims a block; null when another reader has it. */
    Claim claim(FileId file, int block) {
        Claim mine = new Claim();
        return claims.putIfAbsent(new Key(file, block), mine) == null ? mine : null;
    }

    /** Ends a claim, published or not, and wakes who waits for it. */
    void release(FileId file, int block, Claim claim) {
        claims.remove(new Key(file, block), claim);
        claim.done.countDown();
    }

    /** Waits until nobody reads this block; the caller must hold no claim. */
    void await(FileId file, int block) {
        Claim theirs = claims.get(new Key(file, block));
        if (theirs != null) {
            theirs.awaitDone();
        }
    }

    /** Waits until nobody reads any block of this file; the caller must hold no claim. */
    void awaitAll(FileId file) {
        claims.forEach(
                (key, claim) -> {
                    if (key.file().equals(file)) {
                        claim.awaitDone();
                    }
                });
    }

    /** A write reached the backing: what was read before it must not be published. */
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
