package org.ssdcache.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.PendingAttributes;

/**
 * Records on their way to the journal: appended to blocks in memory under one short lock, taken
 * from there by {@link JournalWriter}.
 *
 * <p>A block may be begun only when {@link JournalRing} has a place for it; until then the appender
 * waits.
 */
final class JournalBuffer {
    static final int BATCH_BLOCKS = 64;

    /** Batches that may pile up before the appender is asked to write them itself. */
    private static final int BACKLOG_BATCHES = 2;

    private static final int SPARE_BATCHES = 2;
    private static final int NO_BLOCK = -1;

    // Constant after construction.
    private final ReentrantLock lock = new ReentrantLock();
    private final JournalRing ring;

    // Guarded by lock.
    @GuardedBy("lock")
    private final ArrayDeque<Batch> full = new ArrayDeque<>();

    @GuardedBy("lock")
    private final ArrayDeque<ByteBuffer> spare = new ArrayDeque<>();

    @GuardedBy("lock")
    private ByteBuffer batch;

    /** Where in the batch the open block begins. */
    @GuardedBy("lock")
    private int blockStart = NO_BLOCK;

    @GuardedBy("lock")
    private int recordsInBlock;

    /** Written under the lock. */
    private volatile long nextSequence;

    /** Sealed blocks that follow each other, from the buffer's start to its position. */
    record Batch(ByteBuffer blocks, long firstBlock) {
        int count() {
            return blocks.position() / JournalBlock.BYTES;
        }
    }

    /** What was appended before it was taken. */
    record Taken(List<Batch> batches, long nextSequence, long nextBlock) {}

    JournalBuffer(
            StoreDisk disk,
            ChangeGate gate,
            int ringBlocks,
            long tail,
            long sequence,
            long roomTimeoutNanos) {
        this.ring = new JournalRing(lock, disk, gate, ringBlocks, tail, roomTimeoutNanos);
        this.nextSequence = sequence;
    }

    /** Told once each time the journal has become three quarters full, and by who must wait. */
    void onPressure(Runnable listener) {
        ring.onPressure(listener);
    }

    /**
     * Appends a MAP record.
     *
     * @return whether so much waits that the caller should write it
     */
    boolean map(int slot, int file, int block, int valid, int dirty, int changed, int[] checksums)
            throws StoreException {
        lock.lock();
        try {
            ByteBuffer to = reserve(JournalRecord.mapBytes(changed));
            JournalRecord.putMap(to, slot, file, block, valid, dirty, changed, checksums);
            return appended();
        } finally {
            lock.unlock();
        }
    }

    /** Appends a MOVE record. */
    boolean move(int from, int to, int file, int block, int valid, int dirty, int[] checksums)
            throws StoreException {
        lock.lock();
        try {
            ByteBuffer record = reserve(JournalRecord.moveBytes(valid));
            JournalRecord.putMove(record, from, to, file, block, valid, dirty, checksums);
            return appended();
        } finally {
            lock.unlock();
        }
    }

    boolean free(int slot) throws StoreException {
        lock.lock();
        try {
            JournalRecord.putFree(reserve(JournalRecord.FREE_BYTES), slot);
            return appended();
        } finally {
            lock.unlock();
        }
    }

    boolean file(int file, FileId id, FileFacts facts) throws StoreException {
        lock.lock();
        try {
            JournalRecord.putFile(reserve(JournalRecord.FILE_BYTES), file, id, facts);
            return appended();
        } finally {
            lock.unlock();
        }
    }

    boolean pending(int file, PendingAttributes attributes) throws StoreException {
        byte[] handle = attributes.locator().handle();
        lock.lock();
        try {
            ByteBuffer to = reserve(JournalRecord.pendingBytes(handle.length));
            JournalRecord.putPending(to, file, attributes, handle);
            return appended();
        } finally {
            lock.unlock();
        }
    }

    boolean settled(int file) throws StoreException {
        lock.lock();
        try {
            JournalRecord.putSettled(reserve(JournalRecord.SETTLED_BYTES), file);
            return appended();
        } finally {
            lock.unlock();
        }
    }

    boolean drop(int file) throws StoreException {
        lock.lock();
        try {
            JournalRecord.putDrop(reserve(JournalRecord.DROP_BYTES), file);
            return appended();
        } finally {
            lock.unlock();
        }
    }

    boolean intent(int type, int file, int region) throws StoreException {
        lock.lock();
        try {
            JournalRecord.putIntent(reserve(JournalRecord.INTENT_BYTES), type, file, region);
            return appended();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    @SuppressWarnings("NonAtomicVolatileUpdate") // the lock is held
    private boolean appended() {
        recordsInBlock++;
        nextSequence++;
        return full.size() >= BACKLOG_BATCHES;
    }

    /** Whether so much waits that somebody should write it. */
    boolean muchWaits() {
        lock.lock();
        try {
            return full.size() >= BACKLOG_BATCHES;
        } finally {
            lock.unlock();
        }
    }

    /** The sequence of the last record appended. */
    long lastSequence() {
        return nextSequence - 1;
    }

    /** Waits until a change of a slot may begin. */
    void awaitRoom() throws StoreException {
        lock.lock();
        try {
            ring.checkOpen();
            ring.awaitRoom();
        } finally {
            lock.unlock();
        }
    }

    /** The open block's buffer, positioned where a record of this length fits. */
    @GuardedBy("lock")
    private ByteBuffer reserve(int lengthBytes) throws StoreException {
        if (blockStart != NO_BLOCK
                && batch.position() + lengthBytes > blockStart + JournalBlock.BYTES) {
            sealBlock();
        }
        ring.checkOpen();
        if (blockStart == NO_BLOCK) {
            ring.awaitPlace();
            // Somebody else may have begun a block while this one waited without the lock.
            return blockStart == NO_BLOCK ? beginBlock() : reserve(lengthBytes);
        }
        return batch;
    }

    @GuardedBy("lock")
    private ByteBuffer beginBlock() {
        if (batch == null) {
            batch = spare.isEmpty() ? newBatch() : spare.poll().clear();
        }
        blockStart = batch.position();
        recordsInBlock = 0;
        batch.position(blockStart + JournalBlock.HEADER_BYTES);
        ring.beginBlock();
        return batch;
    }

    private static ByteBuffer newBatch() {
        return Buffers.direct(BATCH_BLOCKS * JournalBlock.BYTES);
    }

    @GuardedBy("lock")
    private void sealBlock() {
        if (blockStart == NO_BLOCK) {
            return;
        }
        JournalBlock.seal(batch, blockStart, nextSequence - recordsInBlock, recordsInBlock);
        blockStart = NO_BLOCK;
        ring.endBlock();
        if (!batch.hasRemaining()) {
            endBatch();
        }
    }

    @GuardedBy("lock")
    private void endBatch() {
        int count = batch.position() / JournalBlock.BYTES;
        full.add(new Batch(batch, ring.nextBlock() - count));
        batch = null;
    }

    /**
     * Seals what there is and hands it out, in order; the caller writes it before it takes more.
     */
    Taken take() {
        lock.lock();
        try {
            sealBlock();
            if (batch != null && batch.position() > 0) {
                endBatch();
            }
            List<Batch> batches = new ArrayList<>(full);
            full.clear();
            return new Taken(batches, nextSequence, ring.nextBlock());
        } finally {
            lock.unlock();
        }
    }

    /** A batch was written; its buffer may be filled again. */
    void recycle(Batch written) {
        lock.lock();
        try {
            if (spare.size() < SPARE_BATCHES) {
                spare.add(written.blocks());
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the open block. Records appended later are in the returned block or after it. The
     * calling thread is the one that folds what is before: it may append, until then, where others
     * wait.
     */
    long cut() {
        lock.lock();
        try {
            sealBlock();
            return ring.cut();
        } finally {
            lock.unlock();
        }
    }

    /** Blocks before this one are folded; whoever waited for room goes on. */
    void moveTail(long block) {
        lock.lock();
        try {
            ring.moveTail(block);
        } finally {
            lock.unlock();
        }
    }

    /** Whoever waits for room looks again whether the disk still works. */
    void wakeWaiting() {
        lock.lock();
        try {
            ring.wakeWaiting();
        } finally {
            lock.unlock();
        }
    }

    /** No append succeeds any more. */
    void refuseAppends() {
        lock.lock();
        try {
            ring.refuse();
        } finally {
            lock.unlock();
        }
    }

    double journalFill() {
        lock.lock();
        try {
            return ring.fill();
        } finally {
            lock.unlock();
        }
    }

    long tail() {
        lock.lock();
        try {
            return ring.tailBlock();
        } finally {
            lock.unlock();
        }
    }
}
