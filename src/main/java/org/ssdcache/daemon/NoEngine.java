package org.ssdcache.daemon;

import org.ssdcache.block.FileId;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cache.CacheUsage;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.control.RefusedException;

/** What there is to see and to steer while a mount has no cache: nothing. */
final class NoEngine implements Engine {
    @Override
    public CacheUsage usage() {
        return new CacheUsage(0, 0, 0, false, false);
    }

    @Override
    public CacheMode mode() {
        return CacheMode.NONE;
    }

    @Override
    public long sequentialCutoffBytes() {
        return 0;
    }

    @Override
    public CleanerSettings writebackSettings() {
        return CleanerSettings.DEFAULT;
    }

    @Override
    public void apply(LiveSettings settings) throws RefusedException {
        throw new RefusedException(
                ExitCode.CACHE_STATE,
                "The mount has no cache; take one into use with: ssdcache attach MOUNTPOINT"
                        + " --cache DIR");
    }

    @Override
    public void setMode(CacheMode mode) {
        throw new IllegalStateException("there is no cache");
    }

    @Override
    public DirtyState dirty() {
        return DirtyState.CLEAN;
    }

    @Override
    public boolean isDirty(FileId file) {
        return false;
    }

    @Override
    public boolean clean(FlushScope scope, FlushProgress.Listener listener) {
        return true;
    }
}
