package org.ssdcache.cache;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;

/** What the cache has and the backing has not, for those who bring it home or decide about it. */
public final class DirtyData {
    private final FileRecords records;
    private final PendingFiles pending;
    private final BlockMap map;
    private final DirtySlots slots;
    private final DirtyState state;
    private final DirtyRanges ranges;
    private final CleaningSource source;
    private final Housekeeping housekeeping;
    private final BlockGeometry geometry;
    private volatile Conflicts conflicts;

    DirtyData(CacheAssembly engine) {
        records = engine.records;
        pending = engine.pending;
        map = engine.map;
        slots = engine.dirtySlots;
        state = engine.dirtyState;
        ranges = engine.ranges;
        source = engine.cleaningSource;
        housekeeping = engine.housekeeping;
        geometry = engine.geometry;
    }

    /** Who finds the files of the backing; to be set before anything is cleaned. */
    public void setOpener(FileOpener opener) {
        source.setOpener(opener);
        conflicts = new Conflicts(pending, records, map, opener);
    }

    /** Who brings blocks home; to be set before anything is written. */
    public void setCleaning(CleaningService service) {
        ranges.setService(service);
    }

    /** The dirty blocks, for who brings them home. */
    public DirtyBlocks blocks() {
        return source;
    }

    /** Whether the backing has everything: blocks, lengths and times of all files. */
    public boolean isNone() {
        return !state.isAny();
    }

    public DirtyUsage usage() {
        return new DirtyUsage(
                (long) slots.count() * geometry.blockBytes(),
                slots.count(),
                TimeUnit.NANOSECONDS.toSeconds(slots.oldestAgeNanos()));
    }

    // --- files

    /** Every file that the backing does not have as applications see it. */
    public List<FileId> files() {
        return pending.all().stream().map(file -> records.idOf(file.number())).toList();
    }

    /** The file that the cleaner knows by a number; null if there is none any more. */
    public FileId fileOf(int number) {
        return pending.get(number) != null && records.isLive(number) ? records.idOf(number) : null;
    }

    /**
     * The number by which the cleaner knows a file that the backing does not have as it is, or -1
     * if it has.
     */
    public int numberOf(FileId id) {
        int number = records.numberOf(id);
        return number != CachedFile.UNREGISTERED && pending.get(number) != null
                ? number
                : CachedFile.UNREGISTERED;
    }

    /** What finds a file of {@link #files} without a name. */
    public FileLocator locatorOf(FileId id) {
        PendingFile file = pending.get(records.numberOf(id));
        return file == null ? FileLocator.NONE : file.attributes().locator();
    }

    // --- conflicts

    /**
     * Files that have dirty blocks and were changed on the backing by somebody else while the cache
     * was not mounted; to be asked before anything is served. Each is to be decided by {@link
     * #keepCache} or {@link #keepBacking}, or the mount refused.
     */
    public List<FileId> conflicts() throws IOException {
        return conflicts.find();
    }

    /** What is dirty of the file will be written over what somebody else made of it. */
    public void keepCache(FileId id) throws IOException {
        conflicts.keepCache(id);
    }

    /** What is dirty of the file is given up, and what somebody else made of it counts. */
    public void keepBacking(FileId id) throws IOException {
        conflicts.keepBacking(id);
    }

    // --- settling

    /**
     * Brings lengths and times to the backing of the files whose blocks are all home, gives up what
     * is dirty of deleted files, and unlocks the backing directory if nothing is dirty.
     *
     * @throws IOException if that failed for a file; it is tried again by itself
     */
    public void settle() throws IOException {
        housekeeping.settle();
    }

    /** The same of some files, by their numbers; deleted ones are not among them. */
    public void settle(IntPredicate files) throws IOException {
        housekeeping.settle(files);
    }
}
