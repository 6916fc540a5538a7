package org.ssdcache.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.LongConsumer;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.MappingSink;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.io.BlockFile;

/**
 * Slots that hold blocks, and the record of which block is in which slot, on one SSD.
 *
 * <p>A caller writes a slot's data first and then says what it is ({@link #slotMapped}). Records
 * are kept in the order of the calls; a crash loses the last of them, never one in the middle.
 * After {@link #sync} everything said and written before is durable.
 *
 * <p>A slot that is given to another block is freed first ({@link #slotFreed}, or its file is
 * dropped), and a block is in one slot at a time: it is freed before it is mapped elsewhere. Since
 * a crash may lose the last records but not what was written to slots meanwhile, after an open that
 * was not clean a slot's pages must be compared with {@link #readChecksums} before they are used
 * the first time.
 *
 * <p>After a failed sync, or a failed write to anything but a slot, all methods that change or sync
 * throw until the store is opened again; slots can still be read.
 *
 * <p>All methods may be called by many threads. Those that append may wait for a checkpoint, at
 * most a minute: whoever runs it holds no lock that an appender holds.
 */
public final class BlockStore implements Closeable {
    /** Instead of a region: anywhere in the file. */
    public static final int WHOLE_FILE = -1;

    /** Instead of a region: no clean page is in doubt, but the file's size and times may change. */
    public static final int NO_REGION = -2;

    /** Write intents are recorded for regions of this size of a file. */
    public static final long INTENT_REGION_BYTES = 64L << 20;

    private static final long ROOM_TIMEOUT_NANOS = 60_000_000_000L;
    private static final int ZEROS_BYTES = 1 << 20;

    // Constant after construction.
    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final StoreIdentity identity;
    private final boolean wasClean;
    private final long leaseNanosAtOpen;
    private final Lease lease;
    private final Lease pendingLease;
    private final long pendingLeaseNanosAtOpen;

    /** Its lock is held over a whole checkpoint. */
    private final StoreTables tables;

    private final ChangeGate gate = new ChangeGate();
    private final SlotChange openChange = this::endChange;
    private final JournalBuffer buffer;
    private final JournalWriter writer;
    private final GroupCommit groupCommit = new GroupCommit(this::syncRound);

    /**
     * Makes an empty store, whatever was in the file.
     *
     * @param progressBytes told how far the writing is, of {@link StoreGeometry#slotsOffset}
     */
    public static void format(
            BlockFile file, StoreGeometry geometry, StoreIdentity id, LongConsumer progressBytes)
            throws IOException {
        StoreFormat.run(file, geometry, id, false, progressBytes);
    }

    /**
     * The same with every slot written once. A file's block that was only allocated makes the
     * filesystem commit its own journal when it is first written and synced, which halves the rate
     * of synced writes.
     *
     * @param progressBytes told how far the writing is, of {@link StoreGeometry#totalBytes}
     */
    public static void formatWritten(
            BlockFile file, StoreGeometry geometry, StoreIdentity id, LongConsumer progressBytes)
            throws IOException {
        StoreFormat.run(file, geometry, id, true, progressBytes);
    }

    /**
     * Opens a store and brings its tables up to date. The store closes the file, also when it
     * cannot be opened.
     *
     * @param bootId names this boot of the machine, at most 64 ASCII characters; empty if unknown
     * @throws StoreException with the reason why the file cannot be used
     */
    public static BlockStore open(BlockFile file, String bootId) throws IOException {
        return open(file, bootId, ROOM_TIMEOUT_NANOS);
    }

    static BlockStore open(BlockFile file, String bootId, long roomTimeoutNanos)
            throws IOException {
        StoreDisk disk = new StoreDisk(file);
        try {
            return new BlockStore(disk, SuperblockPair.read(disk), bootId, roomTimeoutNanos);
        } catch (IOException e) {
            closeAfter(disk, e);
            throw e;
        }
    }

    private static void closeAfter(StoreDisk disk, IOException cause) {
        try {
            disk.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private BlockStore(StoreDisk disk, Superblock found, String bootId, long roomTimeoutNanos)
            throws IOException {
        this.disk = disk;
        geometry = found.geometry();
        identity = found.identity();
        wasClean = found.clean();
        lease = new Lease(disk, identity.storeId(), StoreGeometry.LEASE_OFFSET);
        leaseNanosAtOpen = lease.read();
        pendingLease = new Lease(disk, identity.storeId(), StoreGeometry.PENDING_LEASE_OFFSET);
        pendingLeaseNanosAtOpen = pendingLease.read();
        tables = StoreTables.open(disk, found, bootId);
        long sequence = tables.nextSequence();
        buffer =
                new JournalBuffer(
                        disk,
                        gate,
                        geometry.journalBlocks(),
                        tables.tailBlock(),
                        sequence,
                        roomTimeoutNanos);
        writer = new JournalWriter(disk, geometry, identity.storeId(), buffer, sequence - 1);
    }

    public StoreGeometry geometry() {
        return geometry;
    }

    public StoreIdentity identity() {
        return identity;
    }

    /** Whether the store had been closed by {@link #closeClean} when it was opened. */
    public boolean wasClean() {
        return wasClean;
    }

    /**
     * Names the state of the tables: the first record that is not in them. It stays what it was
     * over a clean close and open in which nothing is recorded, and no two states share one.
     */
    public long checkpointSequence() {
        return tables.checkpointSequence();
    }

    /**
     * Whether blocks may become dirty in this store: it can record that blocks moved and what is
     * pending of files. A store made by an earlier version can when there was space to extend it.
     */
    public boolean supportsWriteback() {
        return tables.supportsWriteback();
    }

    /** The last {@link #extendLease} before this open, 0 if none is left. */
    public long leaseNanosAtOpen() {
        return leaseNanosAtOpen;
    }

    /**
     * Files, by number, that had a write intent before a crash and whose facts were not recorded
     * after it: if they changed, it may have been the daemon. The clean pages of their regions are
     * dropped already.
     */
    public Set<Integer> filesWithIntents() {
        return tables.intentsAtOpen().unsettledFiles();
    }

    /** Told of a region with an intent. */
    @FunctionalInterface
    public interface IntentSink {
        void intent(int file, int region);
    }

    /**
     * Hands over every intent that the last mount left behind. Until the backing is synced it may
     * still lose what that mount wrote, so they have to be recorded again.
     */
    public void forEachIntentAtOpen(IntentSink sink) {
        tables.intentsAtOpen().forEach(sink);
    }

    /** Hands over what the tables say: after open, all the store holds. */
    public void load(MappingSink sink) throws IOException {
        tables.load(sink);
    }

    /** Hands over only what is pending of files, without their facts and slots. */
    public void loadPending(MappingSink sink) throws IOException {
        tables.loadPending(sink);
    }

    /**
     * Begins a change of a slot: its data and the records that say so, which a sync takes together
     * or not at all. Waits first for room in the journal and for a sync that is about to take
     * records.
     *
     * <p>Until the change is closed, appending never waits, so the caller must not wait either for
     * a sync, a checkpoint, or a lock whose holder may wait for one; a few records are the most
     * that should be appended. Changes of one thread do not nest.
     *
     * @throws StoreException if the store failed or is closed, or there was no room for too long
     */
    public SlotChange beginChange() throws IOException {
        gate.refuseInside();
        buffer.awaitRoom();
        gate.enter();
        return openChange;
    }

    private void endChange() throws IOException {
        gate.leave();
        writeIf(buffer.muchWaits());
    }

    /**
     * Whether the slot got a record with new data of dirty pages that no sync has taken, so that it
     * may be overwritten in place. Holds for as long as the calling thread is inside a change.
     */
    public boolean isYoung(int slot) {
        return gate.isYoung(slot);
    }

    /**
     * Whether pages of a slot may be overwritten with dirty data: the slot is young, or none of its
     * pages is dirty and that is not about to be lost in a crash. Else the block must move. Holds
     * for as long as the calling thread is inside a change.
     *
     * @param dirtyPages of the slot now
     */
    public boolean mayOverwrite(int slot, int dirtyPages) {
        return gate.isYoung(slot) || (dirtyPages == 0 && !gate.isMarked(slot));
    }

    /**
     * Whether pages of a slot that are not dirty may be overwritten with clean data, with or
     * without a change: not where a crash could lose the record that made them clean or gave them
     * up.
     */
    public boolean mayFill(int slot) {
        return gate.isYoung(slot) || !gate.isMarked(slot);
    }

    /** Fills the buffer from a slot. */
    public void readSlot(int slot, int skipBytes, ByteBuffer target) throws IOException {
        disk.read(target, offsetInSlot(slot, skipBytes, target));
    }

    /** All of the slot will be read soon; returns at once. */
    public void expectSlot(int slot) {
        disk.expect(geometry.slotOffset(slot), geometry.blockBytes());
    }

    /** Writes the buffer to a slot; a failure leaves the slot in pieces and the store as it was. */
    public void writeSlot(int slot, int skipBytes, ByteBuffer source) throws IOException {
        disk.writeSlotData(source, offsetInSlot(slot, skipBytes, source));
    }

    /**
     * Writes zeros over slots that hold nothing and belong to the caller, so that the next write is
     * not their first one, which costs a sync more. Nothing is recorded.
     */
    public void writeZeros(int firstSlot, int count) throws IOException {
        ByteBuffer zeros = Buffers.direct(ZEROS_BYTES);
        long at = geometry.slotOffset(firstSlot);
        long end = geometry.slotOffset(firstSlot + count - 1) + geometry.blockBytes();
        for (; at < end; at += ZEROS_BYTES) {
            zeros.clear().limit((int) Math.min(ZEROS_BYTES, end - at));
            disk.writeSlotData(zeros, at);
        }
    }

    /** Slots below this one were written once since the store was made. */
    public int preparedSlots() {
        return tables.preparedSlots();
    }

    /** The next checkpoint records that slots below this one were written once. */
    public void setPreparedSlots(int slots) {
        tables.setPreparedSlots(slots);
    }

    private long offsetInSlot(int slot, int skipBytes, ByteBuffer buffer) {
        if (skipBytes < 0 || skipBytes + buffer.remaining() > geometry.blockBytes()) {
            throw new IllegalArgumentException(
                    skipBytes + " + " + buffer.remaining() + " bytes are not in a slot");
        }
        return geometry.slotOffset(slot) + skipBytes;
    }

    /**
     * The checksums of a slot's pages as the tables have them: right for valid pages of slots that
     * were not changed since the last checkpoint or open.
     *
     * @param target one place for each page of a block
     */
    public void readChecksums(int slot, int[] target) throws IOException {
        tables.readChecksums(slot, target);
    }

    /** CRC32C of the 4096 bytes from the buffer's position, which does not move. */
    public static int pageChecksum(ByteBuffer page) {
        int from = page.position();
        return Buffers.crc(page, from, from + BlockGeometry.PAGE_BYTES);
    }

    /**
     * A slot holds pages of a block, or other pages of it than before. The data is written already.
     *
     * @param changedPages pages, among the valid ones, whose data is new; all of them when the slot
     *     held another block before
     * @param checksums by page, of the changed pages
     */
    public void slotMapped(
            int slot,
            int file,
            int block,
            int validPages,
            int dirtyPages,
            int changedPages,
            int[] checksums)
            throws IOException {
        assert ((dirtyPages | changedPages) & ~validPages) == 0;
        if ((dirtyPages & changedPages) != 0) {
            gate.makeYoung(slot);
        }
        boolean muchWaits =
                buffer.map(slot, file, block, validPages, dirtyPages, changedPages, checksums);
        if (changedPages == 0) {
            gate.mark(slot, buffer.lastSequence());
        }
        writeIf(muchWaits);
    }

    /**
     * A block is in another slot now, and the slot where it was holds nothing, provided that the
     * new slot's data is what this says; after a crash the block may be where it was. So the old
     * slot keeps its data until this record is durable. All valid pages are written already.
     *
     * @param checksums by page, of the valid pages
     * @throws IllegalStateException unless {@link #supportsWriteback}
     */
    public void slotMoved(
            int fromSlot,
            int toSlot,
            int file,
            int block,
            int validPages,
            int dirtyPages,
            int[] checksums)
            throws IOException {
        requireWriteback();
        assert fromSlot != toSlot && validPages != 0 && (dirtyPages & ~validPages) == 0;
        gate.forget(fromSlot);
        gate.makeYoung(toSlot);
        writeIf(buffer.move(fromSlot, toSlot, file, block, validPages, dirtyPages, checksums));
    }

    private void requireWriteback() {
        if (!supportsWriteback()) {
            throw new IllegalStateException("the store cannot hold dirty blocks");
        }
    }

    /** A slot holds nothing any more. */
    public void slotFreed(int slot) throws IOException {
        gate.forget(slot);
        writeIf(buffer.free(slot));
    }

    /** A number stands for a file, or other facts are known of the file it stands for. */
    public void fileDefined(int file, FileId id, FileFacts facts) throws IOException {
        writeIf(buffer.file(file, id, facts));
    }

    /** A number stands for no file any more; slots that hold its blocks hold nothing. */
    public void fileDropped(int file) throws IOException {
        writeIf(buffer.drop(file));
    }

    /**
     * The backing does not have all changes of a file in use: this is what the application sees.
     *
     * @throws IllegalStateException unless {@link #supportsWriteback}
     */
    public void filePending(int file, PendingAttributes attributes) throws IOException {
        requireWriteback();
        writeIf(buffer.pending(file, attributes));
    }

    /**
     * The backing has all changes of a file.
     *
     * @throws IllegalStateException unless {@link #supportsWriteback}
     */
    public void fileSettled(int file) throws IOException {
        requireWriteback();
        writeIf(buffer.settled(file));
    }

    /**
     * A region of a file is going to be written on the backing. To hold after a power cut it must
     * be synced before the backing is written. It ends with the checkpoint that folds it, before
     * which the caller has made durable what it wrote to the backing.
     *
     * @param region file offset divided by {@link #INTENT_REGION_BYTES}, or {@link #WHOLE_FILE}, or
     *     {@link #NO_REGION}
     */
    public void writeIntended(int file, int region) throws IOException {
        writeIf(buffer.intent(JournalRecord.INTENT, file, region));
    }

    /**
     * An intent from before the checkpoint's cut is alive, but its file was closed, and so what it
     * is like was recorded after its last change.
     */
    public void intentKept(int file, int region) throws IOException {
        writeIf(buffer.intent(JournalRecord.KEPT_INTENT, file, region));
    }

    private void writeIf(boolean muchWaits) throws IOException {
        if (muchWaits && !gate.isInside()) {
            writeJournal();
        }
    }

    /** The sequence of the last record appended, by whichever thread. */
    public long lastSequence() {
        return buffer.lastSequence();
    }

    /**
     * The highest record that is known to be durable, with all before it and the slot data they
     * stand for.
     */
    public long durableSequence() {
        return writer.durableSequence();
    }

    /**
     * Writes buffered records without sync: they survive this process, not a power cut. Not to be
     * called inside a change.
     */
    public void writeJournal() throws IOException {
        gate.refuseInside();
        try {
            long unused = writer.write();
        } catch (IOException e) {
            buffer.wakeWaiting();
            throw e;
        }
    }

    /**
     * Makes durable what was recorded and written to slots before the call: one fdatasync, shared
     * by those who call at the same time. Not to be called inside a change.
     */
    public void sync() throws IOException {
        gate.refuseInside();
        groupCommit.sync();
    }

    private void syncRound() throws IOException {
        try {
            long end = writer.writeWhole(gate);
            disk.syncData();
            writer.setDurable(end - 1);
            gate.marksAreDurable(end - 1);
        } catch (IOException e) {
            buffer.wakeWaiting();
            throw e;
        }
    }

    /** This daemon may change backing files until then; survives the daemon, not a power cut. */
    public void extendLease(long untilWallNanos) throws IOException {
        lease.write(untilWallNanos);
    }

    /**
     * This daemon may change backing files that are pending until then. Durable after the next
     * sync.
     */
    public void extendPendingLease(long untilWallNanos) throws IOException {
        pendingLease.write(untilWallNanos);
    }

    /** The last {@link #extendPendingLease} before this open, 0 if none is left. */
    public long pendingLeaseNanosAtOpen() {
        return pendingLeaseNanosAtOpen;
    }

    /** How full the journal is, 0 to 1. */
    public double journalFill() {
        return buffer.journalFill();
    }

    /**
     * Sets who is told that a checkpoint is due, once the journal is three quarters full and when
     * somebody waits for room in it. It is called by appenders, and should do no more than wake a
     * thread.
     */
    public void onJournalPressure(Runnable listener) {
        buffer.onPressure(listener);
    }

    /**
     * A position in the journal, for {@link #checkpoint}: after all records appended so far. The
     * calling thread is the one to run the checkpoint, and may append meanwhile, some thousand
     * records at most, without waiting for the room that it makes itself.
     */
    public long cutJournal() {
        return buffer.cut();
    }

    /**
     * Folds the records before a cut into the tables and gives their place in the journal free.
     * Everything recorded before the cut is durable on return.
     */
    public void checkpoint(long cut) throws IOException {
        synchronized (tables) {
            try {
                fold(cut);
            } finally {
                // Whoever waits for room must see an error too.
                buffer.wakeWaiting();
            }
        }
    }

    private void fold(long cut) throws IOException {
        int prepared = tables.preparedSlots();
        sync();
        if (tables.fold(cut, prepared)) {
            buffer.moveTail(cut);
        }
    }

    /**
     * Folds the whole journal, marks the store clean and closes it. Nobody appends any more.
     *
     * @throws IOException if that failed; {@link #close} is still to be called then
     */
    public void closeClean() throws IOException {
        synchronized (tables) {
            buffer.refuseAppends();
            fold(buffer.cut());
            tables.markClean();
        }
        close();
    }

    /** Closes the store as it is; buffered records are lost, as in a crash. */
    @Override
    public void close() throws IOException {
        buffer.refuseAppends();
        disk.close();
    }
}
