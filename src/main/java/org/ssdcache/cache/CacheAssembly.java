package org.ssdcache.cache;

import java.io.IOException;
import java.nio.file.Path;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.index.FileTable;
import org.ssdcache.index.MapDbIndex;
import org.ssdcache.io.Clock;
import org.ssdcache.metrics.Counters;
import org.ssdcache.store.BlockStore;

/**
 * Puts the engine together over an open store, and takes over what the last mount left in it. Who
 * knows whom is said here and nowhere else.
 */
final class CacheAssembly {
    final BlockStore store;
    final BlockGeometry geometry;
    final Counters counters;
    final Clock clock;
    final FileTable files;
    final BlockIndex index;
    final Slots slots;
    final IndexImage image;
    final CacheHealth health;
    final BlockLocks locks = new BlockLocks();
    final BlockClaims fills = new BlockClaims();
    final BlockClaims cleanings = new BlockClaims();
    final ForegroundReads foreground = new ForegroundReads();
    final DirtySlots dirtySlots;
    final PendingLease lease;
    final PendingFiles pending;
    final DirtyState dirtyState;
    final DirtyGuard guard;
    final DirtyRanges ranges;
    final EvictionPolicy policy;
    final BlockMap map;
    final Evictor evictor;
    final FileLedger ledger;
    final FileRecords records;
    final WriteIntents intents;
    final SequentialStreams streams;
    final Bypass bypass;
    final SlotUpdate update;
    final DirtyUpdate dirtyUpdate;
    final ReadPath readPath;
    final WritePath writePath;
    final Resizing resizing;
    final CleaningSource cleaningSource;
    final Housekeeping housekeeping;

    CacheAssembly(
            BlockStore store,
            Path indexFile,
            BackingTree backing,
            CacheMode mode,
            Counters counters,
            Clock clock)
            throws IOException {
        this.store = store;
        this.counters = counters;
        this.clock = clock;
        geometry = new BlockGeometry(store.geometry().blockBytes());
        int slotCount = store.geometry().slotCount();
        files = new FileTable(slotCount);
        index = new BlockIndex(slotCount, geometry);
        slots = new Slots(store, geometry, counters);
        health = new CacheHealth(counters, clock, !store.wasClean());
        dirtySlots = new DirtySlots(slotCount, clock);
        lease = new PendingLease(store, clock);
        pending = new PendingFiles(store, lease, health);
        dirtyState = new DirtyState(index, files, dirtySlots, pending, geometry);
        guard = new DirtyGuard(backing.lock());
        ranges = new DirtyRanges(index, dirtySlots, cleanings);
        image = load(indexFile);
        policy =
                new ClockEviction(
                        slotCount, slot -> index.isMapped(slot) && !dirtySlots.isDirty(slot));
        map = new BlockMap(index, store, policy, image, health, dirtySlots);
        evictor = new Evictor(index, files, map, locks, policy, health, counters);
        ledger = new FileLedger(files, store, fills, pending, image, health);
        records = new FileRecords(ledger, store, pending);
        intents = new WriteIntents(store, records, health, clock);
        tellEachOther();
        streams = new SequentialStreams(clock);
        bypass = new Bypass(streams, health, mode);
        update =
                new SlotUpdate(
                        index, files, slots, map, evictor, policy, health, counters, geometry);
        dirtyUpdate =
                new DirtyUpdate(
                        index, files, cleanings, store, slots, map, evictor, policy, health,
                        geometry);
        readPath = readPath();
        writePath = writePath();
        resizing = resizing();
        cleaningSource = cleaningSource();
        housekeeping = housekeeping(backing.sync());
        inherit();
    }

    private IndexImage load(Path indexFile) throws IOException {
        MapDbIndex mapDb = MapDbIndex.open(indexFile, store.identity().storeId());
        boolean isGood =
                new CacheLoader(index, files, slots, dirtySlots, pending).load(store, mapDb);
        IndexImage loaded = new IndexImage(mapDb, index, files);
        if (!isGood) {
            loaded.everythingChanged();
        }
        return loaded;
    }

    private void tellEachOther() {
        evictor.onIdleFile(records::dropIfClosed);
        evictor.onBusyNumber(records::isCleaning);
        ledger.onFileGone(intents::forget);
        ledger.onFileDead(evictor::fileGone);
        records.onFileForeign(number -> dirtyState.dropClean(number, map));
    }

    private ReadPath readPath() {
        return new ReadPath(
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
    }

    private WritePath writePath() {
        return new WritePath(
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
                new DirectWrite(intents, locks, fills, ranges, update, pending, clock, geometry),
                bypass,
                counters);
    }

    private Resizing resizing() {
        return new Resizing(
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
    }

    private CleaningSource cleaningSource() {
        return new CleaningSource(
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
    }

    private Housekeeping housekeeping(BackingTree.Sync sync) {
        Checkpointer checkpointer =
                new Checkpointer(store, intents, image, dirtyState, health, clock);
        store.onJournalPressure(checkpointer::wake);
        return new Housekeeping(
                evictor,
                new IntervalEnder(intents, records, pending, resizing, sync, counters, clock),
                checkpointer,
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
                        clock),
                pending);
    }

    private void inherit() throws IOException {
        intents.inherit();
        dirtyState.inherit(store, map, dirtyUpdate);
        guard.inherit(dirtyState.isAny());
        if (dirtyState.isAny()) {
            lease.ensure();
        }
    }
}
