package org.ssdcache.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Brings blocks from the {@link JournalBuffer} to the ring, one thread at a time, in order. */
final class JournalWriter {
    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final long storeId;
    private final JournalBuffer buffer;

    /** Written under the monitor. */
    private volatile long durableSequence;

    JournalWriter(
            StoreDisk disk,
            StoreGeometry geometry,
            long storeId,
            JournalBuffer buffer,
            long durableSequence) {
        this.disk = disk;
        this.geometry = geometry;
        this.storeId = storeId;
        this.buffer = buffer;
        this.durableSequence = durableSequence;
    }

    /**
     * Writes what was appended before the call, without sync.
     *
     * @return the sequence after the last record written
     */
    synchronized long write() throws IOException {
        disk.checkUsable();
        return put(buffer.take());
    }

    /** The same for a sync: no change of a slot is half taken. */
    synchronized long writeWhole(ChangeGate gate) throws IOException {
        disk.checkUsable();
        return put(gate.freeze(buffer::take));
    }

    @GuardedBy("this")
    private long put(JournalBuffer.Taken taken) throws IOException {
        for (JournalBuffer.Batch batch : taken.batches()) {
            finish(batch);
            put(batch);
            buffer.recycle(batch);
        }
        return taken.nextSequence();
    }

    /** Records up to this one, and the slot data they stand for, are durable. */
    synchronized void setDurable(long sequence) {
        durableSequence = Math.max(durableSequence, sequence);
    }

    /** The highest record known to be durable, with all before it. */
    long durableSequence() {
        return durableSequence;
    }

    @GuardedBy("this")
    private void finish(JournalBuffer.Batch batch) {
        for (int i = 0; i < batch.count(); i++) {
            JournalBlock.finish(
                    batch.blocks(),
                    i * JournalBlock.BYTES,
                    storeId,
                    batch.firstBlock() + i,
                    durableSequence);
        }
    }

    /** One write, or two where the ring's end is in between. */
    private void put(JournalBuffer.Batch batch) throws IOException {
        ByteBuffer blocks = batch.blocks().flip();
        int ringBlocks = geometry.journalBlocks();
        int place = (int) (batch.firstBlock() % ringBlocks);
        int end = blocks.limit();
        int untilRingEnd = Math.min(end, (ringBlocks - place) * JournalBlock.BYTES);
        disk.write(blocks.limit(untilRingEnd), JournalReader.offsetOf(place));
        if (untilRingEnd < end) {
            disk.write(blocks.limit(end), JournalReader.offsetOf(0));
        }
    }
}
