package org.ssdcache.cache;

import java.io.IOException;
import java.util.BitSet;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.ssdcache.background.BackgroundTask;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.index.FileTable;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;

/**
 * Keeps some slots free ahead of demand, so that no fill waits for an eviction. Evicts in batches:
 * one sync makes all their removals durable before any of the slots is used again (I2).
 */
final class Evictor {
    private static final int LOW_SHARE = 128;
    private static final int MIN_LOW = 8;
    private static final int MAX_LOW = 4096;
    private static final long PERIOD_MILLIS = 1000;

    /** File numbers are short when less than this share of them is free. */
    private static final int SHORT_SHARE = 8;

    private final BlockIndex index;
    private final FileTable files;
    private final BlockMap map;
    private final BlockLocks locks;
    private final EvictionPolicy policy;
    private final CacheHealth health;
    private final Counters counters;
    private final BackgroundTask task;
    private final int lowFree;
    private volatile boolean filesGone;
    private volatile IntConsumer dropIfClosed = file -> {};
    private volatile IntPredicate isBusy = file -> false;

    Evictor(
            BlockIndex index,
            FileTable files,
            BlockMap map,
            BlockLocks locks,
            EvictionPolicy policy,
            CacheHealth health,
            Counters counters) {
        this.index = index;
        this.files = files;
        this.map = map;
        this.locks = locks;
        this.policy = policy;
        this.health = health;
        this.counters = counters;
        this.lowFree = Math.min(MAX_LOW, Math.max(MIN_LOW, index.slotCount() / LOW_SHARE));
        this.task = new BackgroundTask("evictor", PERIOD_MILLIS, this::run);
    }

    /** What forgets a file that is not open; set once, when the engine is assembled. */
    void onIdleFile(IntConsumer action) {
        dropIfClosed = action;
    }

    /** Tells which numbers of dead files somebody still works with; set once, likewise. */
    void onBusyNumber(IntPredicate condition) {
        isBusy = condition;
    }

    void start() {
        task.start();
    }

    void stop() {
        task.close();
    }

    /** Called by whoever takes a slot. */
    void wakeIfLow() {
        if (index.freeCount() < lowFree) {
            task.wake();
        }
    }

    /** A file's blocks became void: their slots are swept up in the next round. */
    void fileGone() {
        filesGone = true;
    }

    /** One round, in the calling thread: sweep, evict, make it durable, free the slots. */
    synchronized void run() {
        if (health.hasFailed()) {
            return;
        }
        try {
            dropIdleFiles();
            int[] dead = sweepDeadFiles();
            evictDownTo(lowFree * 2);
            if (map.hasRetired()) {
                map.releaseRetired();
            }
            for (int file : dead) {
                release(file);
            }
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }

    /** A cleaner that is late must not take the number's next file for its own. */
    private void release(int file) {
        if (isBusy.test(file)) {
            filesGone = true;
        } else {
            files.release(file);
        }
    }

    /**
     * Numbers are as many as slots. When they run short, files that have no block left give theirs
     * back.
     */
    private void dropIdleFiles() {
        if (files.liveCount() < index.slotCount() - index.slotCount() / SHORT_SHARE) {
            return;
        }
        BitSet used = new BitSet(index.slotCount());
        for (int slot = 0; slot < index.slotCount(); slot++) {
            if (index.isMapped(slot)) {
                used.set(Math.max(0, index.fileOf(slot)));
            }
        }
        for (int file : files.liveNumbers()) {
            if (!used.get(file)) {
                dropIfClosed.accept(file);
            }
        }
    }

    /**
     * Takes the slots of dead files. Nobody publishes a block of a dead file: publishers look under
     * the block's lock, and after the barrier all that looked before the file died are through.
     */
    private int[] sweepDeadFiles() {
        if (!filesGone) {
            return new int[0];
        }
        filesGone = false;
        int[] dead = files.deadNumbers();
        locks.barrier();
        for (int slot = 0; slot < index.slotCount(); slot++) {
            if (index.isMapped(slot)) {
                int file = index.fileOf(slot);
                if (!files.isLive(file)) {
                    map.sweep(file, index.blockOf(slot), slot);
                }
            }
        }
        return dead;
    }

    private void evictDownTo(int wantedFree) {
        if (index.freeCount() >= lowFree) {
            return;
        }
        int evicted = 0;
        int missing = wantedFree - index.freeCount();
        for (int tries = 0; tries < 2 * missing && evicted < missing; tries++) {
            int slot = policy.victim();
            if (slot == EvictionPolicy.NONE) {
                break;
            }
            evicted += evict(slot) ? 1 : 0;
        }
        counters.add(Counter.EVICTIONS, evicted);
    }

    /**
     * A block that somebody is busy with is not a good victim and is passed over; one that the
     * backing does not have is never evicted (I4).
     */
    private boolean evict(int slot) {
        int file = index.fileOf(slot);
        int block = index.blockOf(slot);
        if (!files.isLive(file)) {
            return false;
        }
        try (BlockLocks.Held held = locks.tryLock(files.idOf(file), block)) {
            if (held == null
                    || !index.isMapped(slot)
                    || index.fileOf(slot) != file
                    || index.blockOf(slot) != block
                    || index.dirtyPages(slot) != 0) {
                return false;
            }
            map.drop(file, block, slot);
            return true;
        }
    }
}
