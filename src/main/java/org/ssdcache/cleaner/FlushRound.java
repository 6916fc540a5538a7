package org.ssdcache.cleaner;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.ssdcache.cache.BlockList;

/**
 * One try of everything that a flush has still to bring home. A file of which one batch after the
 * other fails is left to the next round. For one thread.
 */
final class FlushRound {
    private final Lane lane;
    private final CleanPass pass;
    private final LongStream.Builder failed = LongStream.builder();
    private final LongStream.Builder untried = LongStream.builder();

    /** How many batches of a file failed since the last one that did not. */
    private final Map<Integer, Integer> failedInRow = new HashMap<>();

    FlushRound(BlockList todo, Lane lane) {
        this.lane = lane;
        this.pass = new CleanPass(todo, lane.tools());
    }

    boolean isDone() {
        return pass.isDone();
    }

    /** The number of the file of the next batch. */
    int file() {
        return pass.file();
    }

    /** Leaves out what comes next if it is of a file that is left to the next round. */
    boolean skip() {
        boolean skips = failedInRow.getOrDefault(pass.file(), 0) >= Failures.BATCHES_IN_A_ROW;
        if (skips) {
            addTo(untried, pass.skipFile().keys());
        }
        return skips;
    }

    /**
     * Brings some of the next blocks home.
     *
     * @throws IOException if the backing refuses them
     */
    Batch nextBatch(BatchLimits limits, BatchGate gate) throws IOException {
        int file = pass.file();
        int start = pass.doneEntries();
        try {
            Batch batch = lane.run(pass, limits, gate);
            failedInRow.remove(file);
            for (int block : batch.unreadable()) {
                failed.add(BlockList.key(file, block));
            }
            return batch;
        } catch (IOException e) {
            long[] tried = pass.entries(start).keys();
            addTo(failed, tried);
            // One that cannot be opened is not tried again at once.
            int times = tried.length == 0 ? Failures.BATCHES_IN_A_ROW : 1;
            failedInRow.merge(file, times, Integer::sum);
            throw e;
        }
    }

    private static void addTo(LongStream.Builder list, long[] keys) {
        for (long key : keys) {
            list.add(key);
        }
    }

    /** Leaves everything that is not tried yet to the next round. */
    void end() {
        while (!pass.isDone()) {
            addTo(untried, pass.skipFile().keys());
        }
    }

    /** What is not home at the end of the round; what was not tried comes first. */
    BlockList left() {
        return new BlockList(LongStream.concat(untried.build(), failed.build()).toArray());
    }
}
