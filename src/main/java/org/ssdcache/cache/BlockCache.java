package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.index.FileTable;
import org.ssdcache.index.MapDbIndex;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.Clock;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.metrics.Counters;
import org.ssdcache.store.BlockStore;

/**
 * The block cache as the file layer sees it: files are opened, read, written, resized, synced and
 * closed. Assembles the engine; each method leads to the one class that does it.
 */
public final class BlockCache implements FileCache {
    private final BlockStore store;
    private final BlockIndex index;
    private final BlockGeometry geometry;
    private final Counters counters;
    private final IndexImage image;
    private final CacheHealth health;
    private final BlockClaims fills;
    private final FileRecords records;
    private final Evictor evictor;
    private final BlockMap map;
    private final BlockLocks locks;
    private final DirtySlots dirtySlots;
    private final PendingFiles pending;
    private final DirtyState dirtyState;
    private final DirtyGuard guard;
    private final DirtyRanges ranges;
    private final CleaningSource cleaningSource;
    private final PendingLease lease;
    private final DirtyKeeper keeper;
    private volatile Conflicts conflicts;
    private final IntervalEnder intervals;
    private final Checkpointer checkpointer;
    private final SequentialStreams streams;
    private final Bypass bypass;
    private final ReadPath readPath;
    private final WritePath writePath;
    private final Resizing resizing;

    /** Begins to load, in a thread of its own, code that {@link #start} will need. */
    public static void warmUp() {
        Thread thread = new Thread(MapDbIndex::warmUp, "warm-up");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Takes an open store into use and starts the background tasks.
     *
     * @param indexFile where the MapDB image lives; may be missing or damaged
     */
    public static BlockCache start(
            BlockStore store,
            Path indexFile,
            Backing backing,
            CacheMode mode,
            Counters counters,
            Clock clock)
            throws IOException {
        BlockCache cache = new BlockCache(store, indexFile, backing, mode, counters, clock);
        cache.evictor.start();
        cache.intervals.start();
        cache.checkpointer.start();
        cache.keeper.start();
        return cache;
    }

    /**
     * What the cache needs of the backing directory as a whole.
     *
     * @param sync makes everything written to it durable (syncfs)
     * @param lock keeps others out of it while it lacks what the cache has
     */
    public record Backing(BackingSync sync, BackingLock lock) {}

    /** Keeps others out of the backing directory while the cache holds what it lacks (I12). */
    public interface BackingLock {
        /** Keeps nobody out. */
        BackingLock NONE =
                new BackingLock() {
                    @Override
                    public void lock() {}

                    @Override
                    public void unlock() {}
                };

        /** Returns when the lock is durable; nothing happens if it is locked. */
        void lock() throws IOException;

        void unlock() throws IOException;
    }

    /** Makes everything written to the backing directory so far durable. */
    @FunctionalInterface
    public interface BackingSync {
        void run() throws IOException;
    }

    /** Without background tasks: for tests that decide when things happen. */
    BlockCache(
            BlockStore store,
            Path indexFile,
            Backing backing,
            CacheMode mode,
            Counters counters,
            Clock clock)
            throws IOException {
        this.store = store;
        this.counters = counters;
        this.geometry = new BlockGeometry(store.geometry().blockBytes());
        int slotCount = store.geometry().slotCount();
        this.index = new BlockIndex(slotCount, geometry);
        this.dirtySlots = new DirtySlots(slotCount, clock);
        this.lease = new PendingLease(store, clock);
        this.health = new CacheHealth(counters, clock, !store.wasClean());
        this.pending = new PendingFiles(store, lease, health);
        FileTable files = new FileTable(slotCount);
        this.dirtyState = new DirtyState(index, files, dirtySlots, pending, geometry);
        MapDbIndex mapDb = MapDbIndex.open(indexFile, store.identity().storeId());
        Slots slots = new Slots(store, geometry, counters);
        boolean imageIsGood =
                new CacheLoader(index, files, slots, dirtySlots, pending).load(store, mapDb);
        this.image = new IndexImage(mapDb, index, files);
        if (!imageIsGood) {
            image.everythingChanged();
        }
        EvictionPolicy policy =
                new ClockEviction(
                        slotCount, slot -> index.isMapped(slot) && !dirtySlots.isDirty(slot));
        this.map = new BlockMap(index, store, policy, image, health, dirtySlots);
        this.locks = new BlockLocks();
        this.evictor = new Evictor(index, files, map, locks, policy, health, counters);
        this.fills = new BlockClaims();
        BlockClaims cleanings = new BlockClaims();
        this.records = new FileRecords(files, store, fills, pending, image, health);
        evictor.onIdleFile(records::dropIfClosed);
        evictor.onBusyNumber(records::isCleaning);
        WriteIntents intents = new WriteIntents(store, records, health, clock);
        records.onFileGone(intents::forget);
        records.onFileDead(evictor::fileGone);
        records.onFileForeign(number -> dirtyState.dropClean(number, map));
        this.streams = new SequentialStreams(clock);
        this.bypass = new Bypass(streams, health, mode);
        this.guard = new DirtyGuard(backing.lock());
        this.ranges = new DirtyRanges(index, dirtySlots, cleanings);
        SlotUpdate update =
                new SlotUpdate(
                        index, files, slots, map, evictor, policy, health, counters, geometry);
        DirtyUpdate dirtyUpdate =
                new DirtyUpdate(
                        index, files, cleanings, store, slots, map, evictor, policy, health,
                        geometry);
        ForegroundReads foreground = new ForegroundReads();
        this.readPath =
                new ReadPath(
                        new Hits(index, slots, map, locks, policy, health, geometry),
                        new DirtyReads(index, dirtySlots, slots, locks, health, geometry),
                        foreground,
                        fills,
                        new Admission(
                                index, files, records, slots, map, locks, evictor, health, counters,
                                geometry),
                        bypass,
                        counters,
                        new ReadRequest.Buffers(geometry));
        this.writePath =
                new WritePath(
                        new WriteBack(
                                lease,
                                records,
                                pending,
                                locks,
                                fills,
                                cleanings,
                                ranges,
                                dirtyUpdate,
                                evictor,
                                guard,
                                bypass,
                                clock,
                                geometry),
                        new DirectWrite(
                                intents, locks, fills, ranges, update, pending, clock, geometry),
                        bypass,
                        counters);
        this.resizing =
                new Resizing(
                        intents,
                        locks,
                        fills,
                        ranges,
                        update,
                        pending,
                        new PendingTruncate(
                                store, locks, cleanings, ranges, dirtyUpdate, pending, geometry),
                        index,
                        clock,
                        geometry);
        this.cleaningSource =
                new CleaningSource(
                        new CleaningBatch.Engine(
                                store,
                                index,
                                slots,
                                map,
                                locks,
                                fills,
                                cleanings,
                                dirtyUpdate,
                                records,
                                lease,
                                new Settlement(pending, dirtySlots, records),
                                geometry),
                        dirtySlots,
                        pending,
                        foreground,
                        counters);
        intents.inherit();
        dirtyState.inherit(store, map, dirtyUpdate);
        this.intervals =
                new IntervalEnder(
                        intents, records, pending, resizing, backing.sync(), counters, clock);
        this.checkpointer = new Checkpointer(store, intents, image, dirtyState, health, clock);
        this.keeper =
                new DirtyKeeper(
                        store,
                        map,
                        pending,
                        dirtySlots,
                        dirtyState,
                        guard,
                        locks,
                        lease,
                        cleaningSource,
                        health,
                        clock);
        store.onJournalPressure(checkpointer::wake);
        guard.inherit(dirtyState.isAny());
        if (dirtyState.isAny()) {
            lease.ensure();
        }
    }

    /** Who finds the files of the backing; to be set before anything is cleaned. */
    public void setOpener(FileOpener opener) {
        cleaningSource.setOpener(opener);
        conflicts = new Conflicts(pending, records, map, opener);
    }

    /**
     * Files that have dirty blocks and were changed on the backing by somebody else while the cache
     * was not mounted; to be asked before anything is served. Each is to be decided by {@link
     * #keepCache} or {@link #keepBacking}, or the mount refused.
     */
    public List<FileId> conflicts() throws IOException {
        return conflicts.find();
    }

    /** Every file that the backing does not have as applications see it. */
    public List<FileId> pendingFiles() {
        return pending.all().stream().map(file -> records.idOf(file.number())).toList();
    }

    /** The file that the cleaner knows by a number; null if there is none any more. */
    public FileId pendingFile(int number) {
        return pending.get(number) != null && records.isLive(number) ? records.idOf(number) : null;
    }

    /** What finds a file of {@link #pendingFiles} without a name. */
    public FileLocator locatorOf(FileId id) {
        int number = pendingNumber(id);
        PendingFile file = number == CachedFile.UNREGISTERED ? null : pending.get(number);
        return file == null ? FileLocator.NONE : file.attributes().locator();
    }

    /** What is dirty of the file will be written over what somebody else made of it. */
    public void keepCache(FileId id) throws IOException {
        conflicts.keepCache(id);
    }

    /** What is dirty of the file is given up, and what somebody else made of it counts. */
    public void keepBacking(FileId id) throws IOException {
        conflicts.keepBacking(id);
    }

    /** Who brings blocks home; to be set before anything is written. */
    public void setCleaning(CleaningService service) {
        ranges.setService(service);
    }

    /** The dirty blocks, for who brings them home. */
    public DirtyBlocks dirtyBlocks() {
        return cleaningSource;
    }

    @Override
    public CachedFile open(
            FileId id, FileLocator locator, BlockFile data, FileFacts facts, FactsSource source)
            throws IOException {
        return records.open(id, locator, new BackingFile(data, source::facts, counters), facts);
    }

    @Override
    public boolean reopened(CachedFile file, FileFacts facts) {
        if (file.isChanged()) {
            return true;
        }
        // The cleaner may have finished after the facts were taken.
        if (isAsLeft(file, facts) || isAsLeft(file, records.factsNow(file, facts))) {
            return true;
        }
        resizing.dropAll(file, facts.sizeBytes());
        records.restate(file, facts);
        return false;
    }

    private boolean isAsLeft(CachedFile file, FileFacts facts) {
        boolean sameSize = facts.sizeBytes() == file.sizeBytes() || file.isLongerThanBacking();
        return sameSize && records.isAsLeft(file, facts);
    }

    @Override
    public void flushed(CachedFile file) throws IOException {
        records.flushed(file);
    }

    @Override
    public boolean close(CachedFile file, FileFacts after) throws IOException {
        fills.awaitAll(file.id());
        try {
            return records.close(file, after);
        } finally {
            file.backing().close();
        }
    }

    @Override
    public void read(CachedFile file, long offsetBytes, int lengthBytes, int task, ReadReply reply)
            throws IOException {
        readPath.read(file, offsetBytes, lengthBytes, task, reply);
    }

    @Override
    public void write(CachedFile file, ByteBuffer source, long offsetBytes, int task)
            throws IOException {
        refuseBeyondLastBlock(offsetBytes, source.remaining());
        resizing.cutLeftoverIfAny(file);
        writePath.write(file, source, offsetBytes, task);
    }

    @Override
    public void truncate(CachedFile file, long sizeBytes) throws IOException {
        refuseBeyondLastBlock(0, sizeBytes);
        resizing.truncate(file, sizeBytes);
    }

    @Override
    public void allocate(CachedFile file, int mode, long offsetBytes, long lengthBytes)
            throws IOException {
        refuseBeyondLastBlock(offsetBytes, lengthBytes);
        resizing.allocate(file, mode, offsetBytes, lengthBytes);
    }

    /** A filesystem below that allows longer files must not get one whose end we cannot name. */
    private void refuseBeyondLastBlock(long offsetBytes, long lengthBytes) throws ErrnoException {
        if (lengthBytes > geometry.maxFileBytes() - offsetBytes) {
            throw new ErrnoException(
                    Errno.EFBIG, "no block holds byte " + (offsetBytes + lengthBytes - 1));
        }
    }

    @Override
    public void sync(CachedFile file, boolean dataOnly, boolean nameIsDurable) throws IOException {
        if (bypass.mode() != CacheMode.WRITEBACK || file.isBackingChanged() || !nameIsDurable) {
            syncBacking(file, dataOnly && nameIsDurable);
        }
        PendingFile state = pending.get(file.number());
        if (state != null) {
            syncStore(file, state);
        } else {
            pending.makeEndDurable(file.number());
        }
    }

    private void syncBacking(CachedFile file, boolean dataOnly) throws IOException {
        long changes = file.backingChanges();
        try {
            file.backing().sync(dataOnly);
            file.backingSynced(changes);
        } catch (IOException e) {
            file.syncFailed();
            resizing.distrust(file);
            throw e;
        }
    }

    private void syncStore(CachedFile file, PendingFile state) throws IOException {
        try {
            syncPending(state);
        } catch (IOException e) {
            file.syncFailed();
            throw e;
        }
    }

    private void syncPending(PendingFile state) throws IOException {
        try {
            pending.record(state);
            store.sync();
        } catch (IOException e) {
            health.journalFailed(e);
            throw e;
        }
        map.releaseDurable();
    }

    @Override
    public void secure(FileId id) throws ErrnoException {
        PendingFile state = pending.get(records.numberOf(id));
        if (state == null) {
            return;
        }
        try {
            syncPending(state);
        } catch (IOException e) {
            throw new ErrnoException(
                    Errno.EIO, "inode " + id.inode() + " cannot be made durable: " + e);
        }
    }

    @Override
    public FileFacts pendingFacts(FileId id) {
        PendingFile state = pending.get(records.numberOf(id));
        if (state == null) {
            return null;
        }
        PendingAttributes attributes = state.attributes();
        return new FileFacts(
                attributes.sizeBytes(), attributes.modifiedNanos(), attributes.changedNanos());
    }

    @Override
    public FileFacts shown(FileId id, FileFacts onBacking) {
        FileFacts facts = pendingFacts(id);
        return facts != null ? facts : pending.shown(records.numberOf(id), onBacking);
    }

    /**
     * The number by which the cleaner knows a file that the backing does not have as it is, or -1
     * if it has.
     */
    public int pendingNumber(FileId id) {
        int number = records.numberOf(id);
        return number != CachedFile.UNREGISTERED && pending.get(number) != null
                ? number
                : CachedFile.UNREGISTERED;
    }

    @Override
    public void modifiedSet(FileId id, long modifiedNanos) {
        records.modifiedSet(id, modifiedNanos);
    }

    @Override
    public boolean holds(FileId id) {
        return records.holds(id);
    }

    @Override
    public void attributesChanged(FileId id, FileFacts before, FileFacts after) {
        records.attributesChanged(id, before, after);
    }

    @Override
    public void deleted(FileId id) {
        records.deleted(id);
    }

    @Override
    public void adopt(CachedFile file, FileFacts facts) throws IOException {
        records.adopt(file, facts);
    }

    @Override
    public void giveUp(CachedFile file, FileFacts facts) {
        fills.awaitAll(file.id());
        boolean unused = records.close(file, facts);
    }

    public CacheMode mode() {
        return bypass.mode();
    }

    /** Whether the store can hold what the backing does not have. */
    public boolean supportsWriteback() {
        return store.supportsWriteback();
    }

    /**
     * Changes the mode. Blocks that are dirty stay so until they are brought home; none becomes
     * dirty after the return unless the mode is writeback.
     */
    public void setMode(CacheMode mode) {
        bypass.setMode(mode);
        locks.barrier();
    }

    /** Whether the backing has everything: blocks, lengths and times of all files. */
    public boolean isClean() {
        return !dirtyState.isAny();
    }

    /** What the backing does not have. */
    public DirtyUsage dirty() {
        return new DirtyUsage(
                (long) dirtySlots.count() * geometry.blockBytes(),
                dirtySlots.count(),
                TimeUnit.NANOSECONDS.toSeconds(dirtySlots.oldestAgeNanos()));
    }

    /**
     * Brings lengths and times to the backing of the files whose blocks are all home, gives up what
     * is dirty of deleted files, and unlocks the backing directory if nothing is dirty.
     *
     * @throws IOException if that failed for a file; it is tried again by itself
     */
    public void settle() throws IOException {
        IOException failure = keeper.settleIdle(number -> true);
        if (!pending.doomed().isEmpty()) {
            if (!intervals.end() && failure == null) {
                failure = new IOException("the backing directory could not be synced");
            }
        }
        evictor.run();
        endSettling(failure);
    }

    /** The same of some files, by their numbers; deleted ones are not among them. */
    public void settle(IntPredicate files) throws IOException {
        endSettling(keeper.settleIdle(files));
    }

    private void endSettling(IOException failure) throws IOException {
        keeper.openGuard();
        if (failure != null) {
            throw failure;
        }
    }

    public long sequentialCutoffBytes() {
        return streams.cutoffBytes();
    }

    /**
     * Sets where a sequential stream begins to go around the cache.
     *
     * @param bytes length of a stream from which it bypasses the cache; 0 = never
     */
    public void setSequentialCutoffBytes(long bytes) {
        streams.setCutoffBytes(bytes);
    }

    public CacheUsage usage() {
        long blockBytes = geometry.blockBytes();
        return new CacheUsage(
                geometry.blockBytes(),
                index.slotCount() * blockBytes,
                index.mappedCount() * blockBytes,
                !health.usable(),
                health.hasFailed());
    }

    private void recordPending() {
        try {
            pending.recordAll();
            lease.end();
            keeper.openGuard();
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }

    /**
     * Stops the background tasks and leaves a cache that the next mount takes up as it is; no
     * request may be under way.
     */
    public void close() throws IOException {
        evictor.stop();
        intervals.stop();
        checkpointer.stop();
        keeper.stop();
        evictor.run();
        boolean clean = intervals.end();
        recordPending();
        checkpointer.checkpoint(clean);
        image.close();
        if (clean && !health.hasFailed()) {
            store.closeClean();
        } else {
            store.close();
        }
    }

    /** Compares what the index says with itself; for tests. */
    void checkInvariants() {
        index.checkInvariants();
    }

    /** One round of a background task, now; for tests, which have no background tasks. */
    enum Maintenance {
        EVICT,
        END_INTERVAL,
        CHECKPOINT,
        SETTLE
    }

    void run(Maintenance task) {
        switch (task) {
            case EVICT -> evictor.run();
            case END_INTERVAL -> intervals.end();
            case CHECKPOINT -> checkpointer.checkpoint(false);
            case SETTLE -> {
                IOException unused = keeper.settleIdle(number -> true);
                keeper.openGuard();
            }
        }
    }
}
