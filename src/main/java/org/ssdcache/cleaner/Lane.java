package org.ssdcache.cleaner;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.ssdcache.cache.DirtyBlocks;
import org.ssdcache.io.Clock;

/**
 * The one lane to the backing: batches of the cleaner itself, of flushes and of writers that need a
 * block clean take turns, in the order in which they came. Keeps the books on what became of them.
 */
final class Lane {
    private final ReentrantLock turn = new ReentrantLock(true);
    private final LaneTools tools;
    private final RateMeter meter;
    private final AtomicInteger urgentWaiters = new AtomicInteger();
    private volatile boolean failing;

    Lane(DirtyBlocks dirty, Clock clock, FileNames names) {
        this.tools = LaneTools.of(dirty, clock, names);
        double oneByOne = 1e9 / tools.model().estimateNanos(1, dirty.blockBytes());
        this.meter = new RateMeter(clock, oneByOne);
    }

    LaneTools tools() {
        return tools;
    }

    /** What could not be brought home. */
    Failures failures() {
        return tools.failures();
    }

    RateMeter meter() {
        return meter;
    }

    /** Whether a writer waits for a turn. */
    boolean isUrgentlyWanted() {
        return urgentWaiters.get() > 0;
    }

    boolean isWaitedFor() {
        return turn.hasQueuedThreads();
    }

    /** Whether the last batch failed. */
    boolean isFailing() {
        return failing;
    }

    /** Runs a batch for a writer that waits; a batch under way ends soon. */
    Batch runUrgently(CleanPass pass, BatchLimits limits) throws IOException {
        urgentWaiters.incrementAndGet();
        try {
            return run(pass, limits, BatchGate.OPEN);
        } finally {
            urgentWaiters.decrementAndGet();
        }
    }

    /**
     * Runs the next batch of a pass when its turn has come.
     *
     * @throws IOException if the backing refuses; the pass goes on behind what the batch took,
     *     which is nothing if the file could not be opened
     */
    Batch run(CleanPass pass, BatchLimits limits, BatchGate gate) throws IOException {
        int file = pass.file();
        int start = pass.doneEntries();
        turn.lock();
        try {
            Batch batch = pass.nextBatch(limits, gate);
            failing = false;
            meter.add(batch);
            failures().batchDone(batch, pass.entries(start));
            return batch;
        } catch (IOException e) {
            failing = true;
            failures().batchFailed(file, pass.entries(start), e);
            throw e;
        } finally {
            turn.unlock();
        }
    }
}
