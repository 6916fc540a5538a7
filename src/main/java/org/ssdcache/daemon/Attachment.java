package org.ssdcache.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.FileId;
import org.ssdcache.cache.BackingTree;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.cleaner.Cleaner;
import org.ssdcache.cleaner.FileNames;
import org.ssdcache.control.RefusedException;
import org.ssdcache.file.FileFinder;
import org.ssdcache.io.Clock;
import org.ssdcache.metrics.CounterHistory;
import org.ssdcache.metrics.Counters;
import org.ssdcache.store.BlockStore;

/** A cache in use by a mount: its directory, locked, its engine and its lock of the backing. */
final class Attachment implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Attachment.class);

    private final MountPlan plan;
    private final Closings open = new Closings();
    private CacheDirectory directory;
    private BackingGuard guard;
    private BlockCache cache;
    private Cleaner cleaner;
    private FileFinder finder;

    private Attachment(MountPlan plan) {
        this.plan = plan;
    }

    /** Takes the cache of the plan into use, or makes it. */
    static Attachment open(
            MountPlan plan,
            BackingDirectory backing,
            PreviousDaemon previous,
            Counters counters,
            StartupReport report)
            throws IOException, RefusedException {
        Attachment attachment = new Attachment(plan);
        boolean done = false;
        try {
            attachment.start(backing, previous, counters, report);
            done = true;
            return attachment;
        } finally {
            if (!done) {
                boolean unused = attachment.open.closeAll();
            }
        }
    }

    private void start(
            BackingDirectory backing,
            PreviousDaemon previous,
            Counters counters,
            StartupReport report)
            throws IOException, RefusedException {
        LockedBacking locked = new LockedBacking(plan);
        locked.refuseOtherCache(backing);
        directory =
                open.add(
                        previous.awaitEnd(
                                () -> CacheDirectory.open(plan, backing.identity(), report)));
        guard = open.add(locked.recover(backing, directory.properties().backingId()));
        cache = startCache(backing, counters);
        open.add(cache::close);
    }

    private BlockCache startCache(BackingDirectory backing, Counters counters)
            throws IOException, RefusedException {
        BlockStore store = StoreOpener.open(directory);
        boolean started = false;
        try {
            BlockCache engine =
                    BlockCache.start(
                            store,
                            directory.indexFile(),
                            new BackingTree(backing::syncEverything, guard),
                            plan.mode(),
                            counters,
                            Clock.SYSTEM);
            engine.setSequentialCutoffBytes(plan.sequentialCutoffBytes());
            started = true;
            return engine;
        } finally {
            if (!started) {
                store.close();
            }
        }
    }

    /**
     * Settles what the last mount left, and begins to bring home what is dirty; to be called before
     * anything is served.
     *
     * @throws RefusedException if there are conflicts that nobody has decided
     */
    void begin(FileFinder fileFinder) throws IOException, RefusedException {
        finder = fileFinder;
        cache.dirty().setOpener(finder);
        settleConflicts();
        cleaner =
                Cleaner.start(cache.dirty().blocks(), plan.writeback(), Clock.SYSTEM, this::nameOf);
        open.add(cleaner::close);
        cache.dirty().setCleaning(cleaner);
    }

    /** What people call a file that cannot be brought home. */
    private String nameOf(int number) {
        FileId id = cache.dirty().fileOf(number);
        if (id == null) {
            return FileNames.NUMBERS.nameOf(number);
        }
        try {
            String path = finder.currentPathOf(id, cache.dirty().locatorOf(id));
            return path == null ? "inode " + id.inode() : path;
        } catch (IOException e) {
            LOG.debug("The name of inode {} cannot be found", id.inode(), e);
            return "inode " + id.inode();
        }
    }

    /** Refused, the directory of a dispute is left as it was found: unlocked. */
    private void settleConflicts() throws IOException, RefusedException {
        try {
            new Conflicts(plan, cache, finder).decide(guard.isDisputed());
        } catch (RefusedException e) {
            if (guard.isDisputed()) {
                guard.unlock();
            }
            throw e;
        }
        guard.decided();
    }

    /** The statistics that earlier mounts have kept in the cache's directory. */
    CounterHistory loadHistory(Counters counters) {
        return CounterHistory.load(directory.historyFile(), counters, Clock.SYSTEM);
    }

    /** Saves the statistics in the cache's directory from now on. */
    void keep(CounterHistory history) {
        open.add(HistoryKeeper.start(history, directory.historyFile(), this::noteDirtyFiles));
    }

    /**
     * Writes into the backing directory's marker which files are dirty, for the case that the cache
     * is lost.
     */
    void noteDirtyFiles() {
        List<FileId> files = cache.dirty().files();
        if (files.isEmpty()) {
            return;
        }
        try {
            List<String> paths = new ArrayList<>();
            for (FileId file : files.subList(0, Math.min(files.size(), DirtyFiles.MAX_PATHS))) {
                String path = finder.currentPathOf(file, cache.dirty().locatorOf(file));
                paths.add(path == null ? "inode " + file.inode() : path);
            }
            long nowSeconds = Clock.SYSTEM.wallNanos() / 1_000_000_000L;
            guard.note(new DirtyFiles(nowSeconds, paths, files.size() - paths.size()));
        } catch (IOException e) {
            LOG.warn("The list of dirty files could not be written: {}", e.getMessage());
        }
    }

    /** Nothing goes home by itself any more. */
    void stopCleaning() {
        cleaner.close();
    }

    MountPlan plan() {
        return plan;
    }

    BackingGuard guard() {
        return guard;
    }

    BlockCache cache() {
        return cache;
    }

    /** What can be steered of it, from {@link #begin} on. */
    Engine engine() {
        return new BlockCacheEngine(cache, cleaner, Clock.SYSTEM);
    }

    /**
     * Ends the use of the cache.
     *
     * @throws IOException when something could not be closed; the log says what
     */
    @Override
    public void close() throws IOException {
        if (!open.closeAll()) {
            throw new IOException("not everything of the cache " + plan.cache() + " was closed");
        }
    }
}
