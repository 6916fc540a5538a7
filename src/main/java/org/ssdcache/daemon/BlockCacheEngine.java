package org.ssdcache.daemon;

import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
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
import org.ssdcache.io.Clock;

/** The block cache and its cleaner. */
final class BlockCacheEngine implements Engine {
    /** A disk that answers no write for so long is somebody's to look at. */
    private static final long FLUSH_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final BlockCache cache;
    private final Cleaner cleaner;
    private final Clock clock;

    BlockCacheEngine(BlockCache cache, Cleaner cleaner, Clock clock) {
        this.cache = cache;
        this.cleaner = cleaner;
        this.clock = clock;
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
        } else if (cache.dirty().usage().dirtyBlocks() > 0) {
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
        DirtyUsage usage = cache.dirty().usage();
        return new DirtyState(
                usage.dirtyBlocks(),
                usage.dirtyBytes(),
                usage.oldestDirtySeconds(),
                cleaner.writebackRateBytesPerSecond(),
                cleaner.isDraining(),
                cache.dirty().isNone());
    }

    @Override
    public boolean isDirty(FileId file) {
        return cache.dirty().numberOf(file) >= 0;
    }

    @Override
    public boolean clean(FlushScope scope, FlushProgress.Listener listener) throws IOException {
        IntPredicate files = filesOf(scope);
        FlushProgress[] last = {new FlushProgress(0, 0, 0, 0, Optional.empty())};
        boolean done =
                cleaner.flush(
                        files,
                        FLUSH_PATIENCE_NANOS,
                        (doneBlocks, totalBlocks, doneBytes, totalBytes) -> {
                            last[0] =
                                    new FlushProgress(
                                            doneBlocks,
                                            totalBlocks,
                                            doneBytes,
                                            totalBytes,
                                            cleaner.lastError(files));
                            return listener.report(last[0]);
                        });
        return done
                && new PatientRetry(clock, FLUSH_PATIENCE_NANOS)
                        .run(
                                () -> settle(scope, files),
                                failure -> listener.report(last[0].failing(failure.getMessage())));
    }

    /** Lengths and times follow the blocks. */
    private void settle(FlushScope scope, IntPredicate files) throws IOException {
        if (scope.everything()) {
            cache.dirty().settle();
        } else {
            cache.dirty().settle(files);
        }
    }

    private IntPredicate filesOf(FlushScope scope) {
        if (scope.everything()) {
            return number -> true;
        }
        Set<Integer> numbers = new HashSet<>();
        scope.files().forEach(file -> numbers.add(cache.dirty().numberOf(file)));
        return numbers::contains;
    }
}
