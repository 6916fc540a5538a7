package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.index.MapDbIndex;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.Clock;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.metrics.Counters;
import org.ssdcache.store.BlockStore;

/**
 * The block cache as the file layer sees it: files are opened, read, written, resized, synced and
 * closed. Each method leads to the one class that does it; {@link CacheAssembly} puts them
 * together.
 */
public final class BlockCache implements FileCache {
    private final CacheAssembly engine;
    private final FileRecords records;
    private final PendingFiles pending;
    private final Resizing resizing;
    private final FileSync fileSync;
    private final DirtyData dirty;

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
            BackingTree backing,
            CacheMode mode,
            Counters counters,
            Clock clock)
            throws IOException {
        BlockCache cache = new BlockCache(store, indexFile, backing, mode, counters, clock);
        cache.engine.housekeeping.start();
        return cache;
    }

    /** Without background tasks: for tests that decide when things happen. */
    BlockCache(
            BlockStore store,
            Path indexFile,
            BackingTree backing,
            CacheMode mode,
            Counters counters,
            Clock clock)
            throws IOException {
        engine = new CacheAssembly(store, indexFile, backing, mode, counters, clock);
        records = engine.records;
        pending = engine.pending;
        resizing = engine.resizing;
        fileSync = new FileSync(store, pending, engine.map, resizing, engine.bypass, engine.health);
        dirty = new DirtyData(engine);
    }

    @Override
    public CachedFile open(
            FileId id, FileLocator locator, BlockFile data, FileFacts facts, FactsSource source)
            throws IOException {
        return records.open(
                id, locator, new BackingFile(data, source::facts, engine.counters), facts);
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
        engine.fills.awaitAll(file.id());
        try {
            return records.close(file, after);
        } finally {
            file.backing().close();
        }
    }

    @Override
    public void read(CachedFile file, long offsetBytes, int lengthBytes, int task, ReadReply reply)
            throws IOException {
        engine.readPath.read(file, offsetBytes, lengthBytes, task, reply);
    }

    @Override
    public void write(CachedFile file, ByteBuffer source, long offsetBytes, int task)
            throws IOException {
        refuseBeyondLastBlock(offsetBytes, source.remaining());
        resizing.cutLeftoverIfAny(file);
        engine.writePath.write(file, source, offsetBytes, task);
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
        if (lengthBytes > engine.geometry.maxFileBytes() - offsetBytes) {
            throw new ErrnoException(
                    Errno.EFBIG, "no block holds byte " + (offsetBytes + lengthBytes - 1));
        }
    }

    @Override
    public void sync(CachedFile file, boolean dataOnly, boolean nameIsDurable) throws IOException {
        fileSync.sync(file, dataOnly, nameIsDurable);
    }

    @Override
    public void secure(FileId id) throws ErrnoException {
        fileSync.secure(records.numberOf(id), id.inode());
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
        engine.fills.awaitAll(file.id());
        boolean unused = records.close(file, facts);
    }

    public CacheMode mode() {
        return engine.bypass.mode();
    }

    /** Whether the store can hold what the backing does not have. */
    public boolean supportsWriteback() {
        return engine.store.supportsWriteback();
    }

    /**
     * Changes the mode. Blocks that are dirty stay so until they are brought home; none becomes
     * dirty after the return unless the mode is writeback.
     */
    public void setMode(CacheMode mode) {
        engine.bypass.setMode(mode);
        engine.locks.barrier();
    }

    /** What the backing does not have. */
    public DirtyData dirty() {
        return dirty;
    }

    public long sequentialCutoffBytes() {
        return engine.streams.cutoffBytes();
    }

    /**
     * Sets where a sequential stream begins to go around the cache.
     *
     * @param bytes length of a stream from which it bypasses the cache; 0 = never
     */
    public void setSequentialCutoffBytes(long bytes) {
        engine.streams.setCutoffBytes(bytes);
    }

    public CacheUsage usage() {
        long blockBytes = engine.geometry.blockBytes();
        return new CacheUsage(
                engine.geometry.blockBytes(),
                engine.index.slotCount() * blockBytes,
                engine.index.mappedCount() * blockBytes,
                !engine.health.usable(),
                engine.health.hasFailed());
    }

    /**
     * Stops the background tasks and leaves a cache that the next mount takes up as it is; no
     * request may be under way.
     */
    public void close() throws IOException {
        boolean isSynced = engine.housekeeping.finish();
        engine.image.close();
        if (isSynced && !engine.health.hasFailed()) {
            engine.store.closeClean();
        } else {
            engine.store.close();
        }
    }

    /** Compares what the index says with itself; for tests. */
    void checkInvariants() {
        engine.index.checkInvariants();
    }

    /** One round of a background task, now; for tests, which have no background tasks. */
    void run(Housekeeping.Task task) {
        engine.housekeeping.run(task);
    }
}
