package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
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
public final class BlockCache {
    private final BlockStore store;
    private final BlockIndex index;
    private final BlockGeometry geometry;
    private final Counters counters;
    private final IndexImage image;
    private final CacheHealth health;
    private final Fills fills;
    private final FileRecords records;
    private final Evictor evictor;
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
     * @param backingSync makes everything written to the backing directory durable (syncfs)
     */
    public static BlockCache start(
            BlockStore store,
            Path indexFile,
            BackingSync backingSync,
            CacheMode mode,
            Counters counters,
            Clock clock)
            throws IOException {
        BlockCache cache = unstarted(store, indexFile, backingSync, mode, counters, clock);
        cache.evictor.start();
        cache.intervals.start();
        cache.checkpointer.start();
        return cache;
    }

    /** The same without background tasks, for tests that decide when things happen. */
    static BlockCache unstarted(
            BlockStore store,
            Path indexFile,
            BackingSync backingSync,
            CacheMode mode,
            Counters counters,
            Clock clock)
            throws IOException {
        return new BlockCache(store, indexFile, backingSync, mode, counters, clock);
    }

    /** Asks the backing filesystem for a file's length and times. */
    @FunctionalInterface
    public interface FactsSource {
        FileFacts facts() throws IOException;
    }

    /** Makes everything written to the backing directory so far durable. */
    @FunctionalInterface
    public interface BackingSync {
        void run() throws IOException;
    }

    private BlockCache(
            BlockStore store,
            Path indexFile,
            BackingSync backingSync,
            CacheMode mode,
            Counters counters,
            Clock clock)
            throws IOException {
        this.store = store;
        this.counters = counters;
        this.geometry = new BlockGeometry(store.geometry().blockBytes());
        int slotCount = store.geometry().slotCount();
        this.index = new BlockIndex(slotCount, geometry);
        FileTable files = new FileTable(slotCount);
        MapDbIndex mapDb = MapDbIndex.open(indexFile, store.identity().storeId());
        Slots slots = new Slots(store, geometry, counters);
        boolean imageIsGood = new CacheLoader(index, files, slots).load(store, mapDb);
        this.image = new IndexImage(mapDb, index, files);
        if (!imageIsGood) {
            image.everythingChanged();
        }
        this.health = new CacheHealth(counters, clock);
        EvictionPolicy policy = new ClockEviction(slotCount, index::isMapped);
        BlockMap map = new BlockMap(index, store, policy, image, health);
        BlockLocks locks = new BlockLocks();
        this.evictor = new Evictor(index, files, map, locks, policy, health, counters);
        this.fills = new Fills();
        this.records = new FileRecords(files, store, fills, image, health);
        evictor.onIdleFile(records::dropIfClosed);
        WriteIntents intents = new WriteIntents(store, records, health, clock);
        records.onFileGone(
                number -> {
                    intents.forget(number);
                    evictor.fileGone();
                });
        this.streams = new SequentialStreams(clock);
        this.bypass = new Bypass(streams, health, mode);
        SlotUpdate update =
                new SlotUpdate(
                        index, files, slots, map, evictor, policy, health, counters, geometry);
        this.readPath =
                new ReadPath(
                        new Hits(index, slots, map, locks, policy, health, geometry),
                        fills,
                        new Admission(
                                index, files, records, slots, map, locks, evictor, health, counters,
                                geometry),
                        bypass,
                        counters,
                        new ReadRequest.Buffers(geometry));
        this.writePath = new WritePath(intents, locks, fills, update, bypass, counters, geometry);
        this.resizing = new Resizing(intents, locks, fills, update, index, geometry);
        intents.inherit();
        this.intervals =
                new IntervalEnder(intents, records, resizing, backingSync, counters, clock);
        this.checkpointer = new Checkpointer(store, intents, image, health, clock);
        store.onJournalPressure(checkpointer::wake);
    }

    /**
     * A regular file is opened that was not open. Its blocks from earlier are kept if nobody else
     * changed the file since.
     *
     * @param data the file's bytes; closed by {@link #close(CachedFile, FileFacts)}
     * @param facts what the file is like now
     * @param source asks for the same again, later
     */
    public CachedFile open(FileId id, BlockFile data, FileFacts facts, FactsSource source) {
        return records.open(id, new BackingFile(data, source::facts, counters), facts);
    }

    /**
     * A file that is open is opened once more.
     *
     * @param facts what the file is like now
     * @return whether it is as the daemon left it, so that the kernel's pages are right too
     */
    public boolean reopened(CachedFile file, FileFacts facts) {
        if (file.isChanged()) {
            return true;
        }
        if (records.isAsLeft(file, facts) && facts.sizeBytes() == file.sizeBytes()) {
            return true;
        }
        resizing.dropAll(file, facts.sizeBytes());
        records.restate(file, facts);
        return false;
    }

    /** One of the file's openers closed it: close(2), which other handles may outlive. */
    public void flushed(CachedFile file) throws IOException {
        records.flushed(file);
    }

    /**
     * The last handle of the file is gone. Fills that its last readers left behind are waited for.
     *
     * @param after what the file is like now
     * @return whether the file is as the daemon left it
     */
    public boolean close(CachedFile file, FileFacts after) throws IOException {
        fills.awaitAll(file.id());
        try {
            return records.close(file, after);
        } finally {
            file.backing().close();
        }
    }

    /**
     * Reads, from the cache where it can.
     *
     * @param task who reads, for telling streams apart; a thread id
     * @param reply gets the bytes exactly once, unless an exception is thrown
     */
    public void read(CachedFile file, long offsetBytes, int lengthBytes, int task, ReadReply reply)
            throws IOException {
        readPath.read(file, offsetBytes, lengthBytes, task, reply);
    }

    /** Writes all of the buffer's remaining bytes. */
    public void write(CachedFile file, ByteBuffer source, long offsetBytes, int task)
            throws IOException {
        refuseBeyondLastBlock(offsetBytes, source.remaining());
        writePath.write(file, source, offsetBytes, task);
    }

    public void truncate(CachedFile file, long sizeBytes) throws IOException {
        refuseBeyondLastBlock(0, sizeBytes);
        resizing.truncate(file, sizeBytes);
    }

    /** fallocate(2); see {@link BlockFile#allocate}. */
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

    /**
     * Makes the file durable. In the modes that write to the backing first, that is a sync of the
     * backing; the slots hold nothing that it has not.
     */
    public void sync(CachedFile file, boolean dataOnly) throws IOException {
        try {
            file.backing().sync(dataOnly);
        } catch (IOException e) {
            file.syncFailed();
            resizing.distrust(file);
            throw e;
        }
    }

    /** Whether blocks of the file may be cached. */
    public boolean holds(FileId id) {
        return records.holds(id);
    }

    /** The daemon itself changed a file's attributes or names while it was not open. */
    public void attributesChanged(FileId id, FileFacts before, FileFacts after) {
        records.attributesChanged(id, before, after);
    }

    /** The file's last name and last handle are gone. */
    public void deleted(FileId id) {
        records.deleted(id);
    }

    public CacheMode mode() {
        return bypass.mode();
    }

    public void setMode(CacheMode mode) {
        bypass.setMode(mode);
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

    /** Stops the background tasks and leaves a clean cache; no request may be under way. */
    public void close() throws IOException {
        evictor.stop();
        intervals.stop();
        checkpointer.stop();
        evictor.run();
        boolean clean = intervals.end();
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
        CHECKPOINT
    }

    void run(Maintenance task) {
        switch (task) {
            case EVICT -> evictor.run();
            case END_INTERVAL -> intervals.end();
            case CHECKPOINT -> checkpointer.checkpoint(false);
        }
    }
}
