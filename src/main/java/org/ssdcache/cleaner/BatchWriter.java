package org.ssdcache.cleaner;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.cache.CleaningFile;
import org.ssdcache.cache.CleaningFile.Taken;
import org.ssdcache.io.Clock;

/**
 * One batch of one file: takes blocks in ascending order, joins them to large writes, and finishes
 * with one sync. Where the blocks between two dirty ones are cached whole and cheaper to write than
 * to skip, they are written too (gap filling). For one thread.
 */
final class BatchWriter {
    private static final Logger LOG = LoggerFactory.getLogger(BatchWriter.class);
    private static final Taken NOTHING = new Taken(0, 0);

    /**
     * So much is in one batch at most, however fast the backing is: all of it is to be tried again
     * when one block fails.
     */
    private static final int MAX_BATCH_BYTES = 64 << 20;

    private final int file;
    private final CleaningFile target;
    private final Window window;
    private final BlockGeometry geometry;
    private final BatchGate gate;
    private final Clock clock;
    private final DiskModel model;
    private final Failures failures;
    private final long widestGapBytes;
    private int mostTakes = Integer.MAX_VALUE;
    private int takes;
    private int dirtyBlocks;
    private int requests;
    private int requestsWhenFull = -1;
    private long bytes;
    private long nanos;
    private int[] unreadable = new int[0];
    private IOException unreadableReason;

    BatchWriter(int file, CleaningFile target, LaneTools tools, BatchGate gate) {
        this.file = file;
        this.target = target;
        this.window = tools.window();
        this.geometry = tools.geometry();
        this.clock = tools.clock();
        this.model = tools.model();
        this.failures = tools.failures();
        this.widestGapBytes = model.widestGapBytes();
        this.gate = gate;
        window.clear();
    }

    /** Whether this block may become part of the write that is being put together. */
    private boolean continuesWith(int block) {
        return !window.isEmpty() && window.hasPlaceFor(block) && !isTooFar(block);
    }

    private boolean isTooFar(int block) {
        return (long) (block - window.next()) * geometry.blockBytes() > widestGapBytes;
    }

    /**
     * Whether the batch goes on with this block: it is not full, or the block may become part of
     * the write that made it full. One with blocks that failed lately is small, so that those that
     * are good get away from the bad ones.
     */
    boolean goesOnWith(int block, BatchLimits limits) {
        mostTakes = Math.min(mostTakes, failures.batchBlocks(file, block));
        if (takes > 0 && takes >= mostTakes) {
            return false;
        }
        if (!isFull(limits)) {
            return true;
        }
        if (requestsWhenFull < 0) {
            requestsWhenFull = requests;
        }
        return requests == requestsWhenFull && continuesWith(block);
    }

    private boolean isFull(BatchLimits limits) {
        if (dirtyBlocks == 0) {
            return takes > 0 && gate.isEndWanted();
        }
        int pending = window.isEmpty() ? 0 : 1;
        long expected = model.estimateNanos(requests + pending, bytes + window.bytes());
        return dirtyBlocks >= limits.blocks()
                || (long) dirtyBlocks * geometry.blockBytes() >= MAX_BATCH_BYTES
                || expected >= limits.nanos()
                || gate.isEndWanted();
    }

    /** Takes the next block and writes what cannot be joined with it. */
    void add(int block) throws IOException {
        if (!continuesWith(block)) {
            writeWindow();
        }
        Taken taken = takeOrSkip(block);
        if (taken.dirtyPages() == 0) {
            // If it is clean by now, it is claimed and cannot be taken again to fill a gap.
            writeWindow();
            return;
        }
        dirtyBlocks++;
        if (window.isEmpty() || block == window.next()) {
            window.add(block, taken);
        } else if (pays(block, taken) && takeGap(block)) {
            window.add(block, taken);
        } else {
            writePages();
            window.restartWith(block, taken);
        }
    }

    /** Of a block that cannot be read nothing is taken, and it stays dirty. */
    private Taken takeOrSkip(int block) {
        takes++;
        try {
            return target.take(block, window.place(block));
        } catch (IOException e) {
            unreadable = Arrays.copyOf(unreadable, unreadable.length + 1);
            unreadable[unreadable.length - 1] = block;
            unreadableReason = e;
            return NOTHING;
        }
    }

    private boolean pays(int block, Taken taken) {
        long gapBytes = window.gapBytes(block, taken);
        return gapBytes >= 0 && gapBytes <= widestGapBytes;
    }

    /** Takes the blocks up to this one; stops and returns false where one is not cached whole. */
    private boolean takeGap(int end) {
        while (window.next() < end) {
            int block = window.next();
            Taken taken = takeForGap(block);
            if (taken.validPages() == 0) {
                return false;
            }
            // Also one that became dirty since the list was made: it was taken, so its dirty pages
            // have to be written.
            window.add(block, taken);
            if (taken.dirtyPages() != 0) {
                dirtyBlocks++;
            }
            if (taken.validPages() != geometry.allPages()) {
                return false;
            }
        }
        return true;
    }

    /** A block that cannot be read or written fills no gap; nothing is lost by it. */
    private Taken takeForGap(int block) {
        if (failures.isFailing(file, block)) {
            return NOTHING;
        }
        try {
            return target.take(block, window.place(block));
        } catch (IOException e) {
            LOG.debug("Block {} of file {} cannot be read", block, file, e);
            return NOTHING;
        }
    }

    private void writeWindow() throws IOException {
        writePages();
        window.clear();
    }

    private void writePages() throws IOException {
        window.writeTo(this::write, widestGapBytes);
    }

    private void write(ByteBuffer source, long offsetBytes) throws IOException {
        int lengthBytes = source.remaining();
        gate.beforeRequest();
        long start = clock.monotonicNanos();
        target.write(source, offsetBytes);
        nanos += clock.monotonicNanos() - start;
        requests++;
        bytes += lengthBytes;
    }

    /** Writes the rest, syncs, and lets the blocks be clean. */
    Batch finish(int entries) throws IOException {
        writeWindow();
        int cleaned = 0;
        if (requests > 0) {
            gate.beforeRequest();
            long start = clock.monotonicNanos();
            cleaned = target.finish();
            nanos += clock.monotonicNanos() - start;
            // The sync costs about one request more.
            model.observe(requests + 1, bytes, nanos);
        }
        return new Batch(
                file,
                entries,
                dirtyBlocks,
                cleaned,
                requests,
                bytes,
                nanos,
                unreadable,
                unreadableReason);
    }
}
