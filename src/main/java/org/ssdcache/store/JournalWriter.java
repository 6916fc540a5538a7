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

    @GuardedBy("this")
    private long durableSequence;

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
        JournalBuffer.Taken taken = buffer.take();
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
