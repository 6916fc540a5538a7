package org.ssdcache.store;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.ssdcache.store.StoreException.Reason;

/**
 * Which places of the journal's ring are free, and the waiting for one.
 *
 * <p>Block {@code n} lies at place {@code n % ringBlocks} of the ring and may be begun only once
 * the block that lay there is folded into the tables: {@code n < tailBlock + ringBlocks}. All but
 * the thread that runs the checkpoint wait a little earlier, so that its own records have room. Who
 * is inside the {@link ChangeGate} must not wait at all, and uses that room too.
 *
 * <p>Everything here belongs to the lock of the {@link JournalBuffer}, whose holder calls it.
 */
final class JournalRing {
    private static final double PRESSURE = 0.75;

    /** This share of the ring is left to those who must not wait for room. */
    static final int RESERVE_SHARE = 8;

    // dependencies
    private final ReentrantLock lock;
    private final StoreDisk disk;
    private final ChangeGate gate;
    private volatile Runnable pressureListener = () -> {};

    // constant
    private final Condition room;
    private final int ringBlocks;
    private final long roomTimeoutNanos;

    private boolean blockIsOpen;
    private long nextBlock;
    private long tailBlock;

    /** Who cut the journal last, and is about to fold it. */
    private Thread cutter;

    private boolean pressureTold;
    private boolean closed;

    JournalRing(
            ReentrantLock lock,
            StoreDisk disk,
            ChangeGate gate,
            int ringBlocks,
            long tail,
            long roomTimeoutNanos) {
        this.lock = lock;
        this.disk = disk;
        this.gate = gate;
        this.room = lock.newCondition();
        this.ringBlocks = ringBlocks;
        this.roomTimeoutNanos = roomTimeoutNanos;
        this.tailBlock = tail;
        this.nextBlock = tail;
    }

    /** Told once each time the journal has become {@value #PRESSURE} full, and by who must wait. */
    void onPressure(Runnable listener) {
        pressureListener = listener;
    }

    /** The block that is begun next. */
    long nextBlock() {
        return nextBlock;
    }

    /** The first block that is not folded. */
    long tailBlock() {
        return tailBlock;
    }

    /** A block is begun; there must be a place for it. */
    void beginBlock() {
        nextBlock++;
        blockIsOpen = true;
    }

    /** The open block takes no more records. */
    void endBlock() {
        blockIsOpen = false;
    }

    double fill() {
        return (double) (nextBlock - tailBlock) / ringBlocks;
    }

    void checkOpen() throws StoreException {
        disk.checkUsable();
        if (closed) {
            throw new StoreException(Reason.CLOSED, "the store is being closed");
        }
    }

    /**
     * Waits until there is a place for a block or somebody else has begun one; gives up the lock
     * meanwhile.
     */
    void awaitPlace() throws StoreException {
        await(() -> !blockIsOpen && !hasPlace());
    }

    /**
     * Waits until blocks can be begun without using the reserve; gives up the lock meanwhile.
     *
     * @throws StoreException {@link Reason#JOURNAL_FULL} after the timeout
     */
    void awaitRoom() throws StoreException {
        await(() -> !hasPlace());
    }

    private void await(BooleanSupplier mustWait) throws StoreException {
        if (!pressureTold && fill() >= PRESSURE) {
            pressureTold = true;
            tellPressure();
        }
        long leftNanos = roomTimeoutNanos;
        boolean interrupted = false;
        while (mustWait.getAsBoolean()) {
            checkOpen();
            tellPressure();
            if (!mustWait.getAsBoolean()) {
                break;
            }
            if (leftNanos <= 0 || gate.isInside()) {
                throw new StoreException(
                        Reason.JOURNAL_FULL, "no checkpoint made room in the journal");
            }
            try {
                leftNanos = room.awaitNanos(leftNanos);
            } catch (InterruptedException e) {
                // Half an append cannot be given up; the flag is set again when it is done.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        checkOpen();
    }

    /** Whether the calling thread may begin a block now. */
    private boolean hasPlace() {
        long free = tailBlock + ringBlocks - nextBlock;
        return free > ringBlocks / RESERVE_SHARE
                || (free > 0 && (Thread.currentThread() == cutter || gate.isInside()));
    }

    /** The listener is foreign code: it runs without the lock. */
    private void tellPressure() {
        lock.unlock();
        try {
            pressureListener.run();
        } finally {
            lock.lock();
        }
    }

    /** The calling thread folds what is before the returned block. */
    long cut() {
        cutter = Thread.currentThread();
        return nextBlock;
    }

    /** Blocks before this one are folded; whoever waited goes on. */
    void moveTail(long block) {
        assert block >= tailBlock && block <= nextBlock;
        tailBlock = block;
        pressureTold = false;
        room.signalAll();
    }

    /** Whoever waits looks again whether the disk still works. */
    void wakeWaiting() {
        room.signalAll();
    }

    /** No block is begun any more. */
    void refuse() {
        closed = true;
        room.signalAll();
    }
}
