package org.ssdcache.cleaner;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.cache.BlockList;
import org.ssdcache.cache.DirtyBlocks;
import org.ssdcache.io.Clock;

/**
 * The one lane to the backing: batches of the cleaner itself, of flushes and of writers that need a
 * block clean take turns, in the order in which they came. Keeps the books on what became of them.
 */
final class Lane {
    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    /** With more unreadable blocks than this the whole file is left alone for a while. */
    private static final int MAX_FAILING_BLOCKS = 10_000;

    private final ReentrantLock turn = new ReentrantLock(true);
    private final LaneTools tools;
    private final Backoff<Integer> failingFiles;
    private final Backoff<Long> failingBlocks;
    private final RateMeter meter;
    private final AtomicInteger urgentWaiters = new AtomicInteger();
    private volatile boolean failing;

    Lane(DirtyBlocks dirty, Clock clock) {
        this.tools = LaneTools.of(dirty, clock);
        this.failingFiles = new Backoff<>(clock);
        this.failingBlocks = new Backoff<>(clock);
        double oneByOne = 1e9 / tools.model().estimateNanos(1, dirty.blockBytes());
        this.meter = new RateMeter(clock, oneByOne);
    }

    LaneTools tools() {
        return tools;
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

    boolean hasFailures() {
        return failingFiles.count() + failingBlocks.count() > 0;
    }

    int failingFiles() {
        return failingFiles.count();
    }

    int unreadableBlocks() {
        return failingBlocks.count();
    }

    Optional<String> lastError() {
        return failingFiles.lastError().or(failingBlocks::lastError);
    }

    /** Whether the block should not be tried at present, because it or its file failed lately. */
    boolean isHeldBack(int file, int block) {
        return failingFiles.isHeldBack(file)
                || failingBlocks.isHeldBack(BlockList.key(file, block));
    }

    /** Forgets failures of blocks that are not dirty any more. */
    void forgetUnlessIn(BlockList dirtyBlocks) {
        long[] keys = dirtyBlocks.keys();
        failingBlocks.forgetUnless(key -> Arrays.binarySearch(keys, key) >= 0);
        failingFiles.forgetUnless(file -> hasFile(dirtyBlocks, file));
    }

    private static boolean hasFile(BlockList list, int file) {
        int found = Arrays.binarySearch(list.keys(), BlockList.key(file, 0));
        int first = found >= 0 ? found : -found - 1;
        return first < list.size() && list.file(first) == file;
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
     * @throws IOException if the backing refuses; the pass is where it was before
     */
    Batch run(CleanPass pass, BatchLimits limits, BatchGate gate) throws IOException {
        int file = pass.file();
        turn.lock();
        try {
            int start = pass.doneEntries();
            Batch batch = pass.nextBatch(limits, gate);
            failing = false;
            meter.add(batch);
            account(batch, pass.entries(start));
            return batch;
        } catch (IOException e) {
            failing = true;
            fileFailed(file, "The backing refuses blocks of file " + file, e);
            throw e;
        } finally {
            turn.unlock();
        }
    }

    private void account(Batch batch, BlockList entries) {
        if (batch.unreadable().length > MAX_FAILING_BLOCKS - failingBlocks.count()) {
            fileFailed(
                    batch.file(),
                    String.format("The cache cannot read blocks of file %d", batch.file()),
                    batch.unreadableReason());
            return;
        }
        if (failingFiles.count() > 0 && failingFiles.succeeded(batch.file())) {
            LOG.info("File {} can be brought home again", batch.file());
        }
        if (failingBlocks.count() > 0) {
            for (int i = 0; i < entries.size(); i++) {
                if (!batch.isUnreadable(entries.block(i))) {
                    failingBlocks.succeeded(entries.keys()[i]);
                }
            }
        }
        if (batch.unreadable().length > 0) {
            blocksFailed(batch);
        }
    }

    private void fileFailed(int file, String what, IOException reason) {
        String error = what + ": " + reason.getMessage();
        if (failingFiles.failed(file, error)) {
            LOG.error("{}; they stay dirty and are tried again", error);
            LOG.debug("It failed here", reason);
        }
    }

    private void blocksFailed(Batch batch) {
        String error = batch.unreadableSentence();
        boolean news = false;
        for (int block : batch.unreadable()) {
            news |= failingBlocks.failed(BlockList.key(batch.file(), block), error);
        }
        if (news) {
            LOG.error("{}; they stay dirty and are tried again", error);
            LOG.debug("It failed here", batch.unreadableReason());
        }
    }
}
