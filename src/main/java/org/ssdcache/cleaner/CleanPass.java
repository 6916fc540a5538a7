package org.ssdcache.cleaner;

import java.io.IOException;
import java.util.Arrays;
import org.ssdcache.cache.BlockList;
import org.ssdcache.cache.CleaningFile;

/**
 * One way through a list of dirty blocks, in its order, batch by batch. A batch is of one file,
 * goes upwards in it and has one sync. Every entry is gone through once, so a pass ends whatever is
 * written or fails meanwhile. For one thread at a time.
 */
final class CleanPass {
    private final BlockList list;
    private final LaneTools tools;
    private int position;

    CleanPass(BlockList list, LaneTools tools) {
        this.list = list;
        this.tools = tools;
    }

    boolean isDone() {
        return position == list.size();
    }

    /** How many entries it went through or skipped. */
    int doneEntries() {
        return position;
    }

    /** The number of the file of the next batch. */
    int file() {
        return list.file(position);
    }

    /** Entries gone through or skipped, from this one on. */
    BlockList entries(int start) {
        return new BlockList(Arrays.copyOfRange(list.keys(), start, position));
    }

    /**
     * Brings some of the next blocks home.
     *
     * @throws IOException if the backing refuses: nothing of the batch became clean. The pass goes
     *     on behind what the batch took, which is nothing if the file could not be opened.
     */
    Batch nextBatch(BatchLimits limits, BatchGate gate) throws IOException {
        int file = file();
        int start = position;
        try (CleaningFile target = tools.dirty().begin(file)) {
            if (target == null) {
                skipFile();
                return Batch.gone(file, position - start);
            }
            BatchWriter writer = new BatchWriter(file, target, tools, gate);
            while (isInReach(file, start) && writer.goesOnWith(list.block(position), limits)) {
                position++;
                writer.add(list.block(position - 1));
            }
            return writer.finish(position - start);
        }
    }

    /** Whether a batch that began at that entry may go on with the next one. */
    private boolean isInReach(int file, int start) {
        return position < list.size()
                && list.file(position) == file
                && (position == start || list.block(position) > list.block(position - 1));
    }

    /** Leaves out what comes next of the file; returns what was left out. */
    BlockList skipFile() {
        int file = file();
        int start = position;
        while (position < list.size() && list.file(position) == file) {
            position++;
        }
        return entries(start);
    }
}
