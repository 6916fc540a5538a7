package org.ssdcache.daemon;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.ssdcache.block.FileId;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cache.CacheUsage;
import org.ssdcache.cache.DirtyUsage;
import org.ssdcache.cleaner.Cleaner;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.FlushProgress;

/** The block cache and its cleaner. */
final class BlockCacheEngine implements Engine {
    /** A disk that answers no write for so long is somebody's to look at. */
    private static final long FLUSH_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final BlockCache cache;
    private final Cleaner cleaner;

    BlockCacheEngine(BlockCache cache, Cleaner cleaner) {
        this.cache = cache;
        this.cleaner = cleaner;
    }

    @Override
    public CacheUsage usage() {
        return cache.usage();
    }

    @Override
    public CacheMode mode() {
        return cache.mode();
    }

    @Override
    public void setMode(CacheMode mode) {
        cache.setMode(mode);
        if (mode == CacheMode.WRITEBACK) {
            cleaner.stopDraining();
        } else if (cache.dirty().dirtyBlocks() > 0) {
            cleaner.drain();
        }
    }

    @Override
    public long sequentialCutoffBytes() {
        return cache.sequentialCutoffBytes();
    }

    @Override
    public CleanerSettings writebackSettings() {
        return cleaner.settings();
    }

    @Override
    public void apply(LiveSettings settings) {
        cleaner.setSettings(settings.writeback());
        cache.setSequentialCutoffBytes(settings.sequentialCutoffBytes());
        setMode(settings.mode());
    }

    @Override
    public DirtyState dirty() {
        DirtyUsage usage = cache.dirty();
        return new DirtyState(
                usage.dirtyBlocks(),
                usage.dirtyBytes(),
                usage.oldestDirtySeconds(),
                cleaner.writebackRateBytesPerSecond(),
                cleaner.isDraining(),
                cache.isClean());
    }

    @Override
    public boolean isDirty(FileId file) {
        return cache.pendingNumber(file) >= 0;
    }

    @Override
    public boolean clean(FlushScope scope, FlushProgress.Listener listener) throws IOException {
        IntPredicate files = filesOf(scope);
        boolean done =
                cleaner.flush(
                        files,
                        FLUSH_PATIENCE_NANOS,
                        (doneBlocks, totalBlocks, doneBytes, totalBytes) ->
                                listener.report(
                                        new FlushProgress(
                                                doneBlocks,
                                                totalBlocks,
                                                doneBytes,
                                                totalBytes,
                                                cleaner.lastError(files))));
        if (done) {
            cache.settle();
        }
        return done;
    }

    private IntPredicate filesOf(FlushScope scope) {
        if (scope.everything()) {
            return number -> true;
        }
        Set<Integer> numbers = new HashSet<>();
        scope.files().forEach(file -> numbers.add(cache.pendingNumber(file)));
        return numbers::contains;
    }
}
