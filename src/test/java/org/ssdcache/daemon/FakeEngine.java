package org.ssdcache.daemon;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.ssdcache.block.FileId;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cache.CacheUsage;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.FlushProgress;

/** An engine that is as dirty as a test says and cleans one block at a time. */
final class FakeEngine implements Engine {
    static final int BLOCK_BYTES = 16384;

    final Set<FileId> dirtyFiles = new HashSet<>();
    final List<FlushScope> cleaned = new ArrayList<>();
    DirtyState dirty = DirtyState.CLEAN;
    CacheUsage usage = new CacheUsage(BLOCK_BYTES, 1 << 20, 0, false, false);
    IOException failure;

    private CacheMode mode = CacheMode.WRITETHROUGH;
    private long cutoffBytes;
    private CleanerSettings writeback = CleanerSettings.DEFAULT;

    @Override
    public CacheUsage usage() {
        return usage;
    }

    @Override
    public CacheMode mode() {
        return mode;
    }

    @Override
    public void setMode(CacheMode newMode) {
        mode = newMode;
    }

    @Override
    public long sequentialCutoffBytes() {
        return cutoffBytes;
    }

    @Override
    public CleanerSettings writebackSettings() {
        return writeback;
    }

    @Override
    public void apply(LiveSettings settings) {
        writeback = settings.writeback();
        cutoffBytes = settings.sequentialCutoffBytes();
        mode = settings.mode();
    }

    @Override
    public DirtyState dirty() {
        return dirty;
    }

    @Override
    public boolean isDirty(FileId file) {
        return dirtyFiles.contains(file);
    }

    void setDirtyBlocks(long blocks) {
        dirty = new DirtyState(blocks, blocks * BLOCK_BYTES, 0, 0, false, blocks == 0);
    }

    @Override
    public boolean clean(FlushScope scope, FlushProgress.Listener listener) throws IOException {
        cleaned.add(scope);
        if (failure != null) {
            throw failure;
        }
        long total = dirty.blocks();
        for (long done = 0; done < total; done++) {
            FlushProgress progress =
                    new FlushProgress(
                            done, total, done * BLOCK_BYTES, total * BLOCK_BYTES, Optional.empty());
            if (!listener.report(progress)) {
                return false;
            }
            setDirtyBlocks(total - done - 1);
        }
        return true;
    }
}
