package org.ssdcache.daemon;

import java.io.IOException;
import org.ssdcache.block.FileId;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cache.CacheUsage;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.control.RefusedException;

/** What people see and steer of the engine behind a mount. Called by many threads. */
interface Engine {
    CacheUsage usage();

    CacheMode mode();

    /** Leaving writeback brings everything dirty home in the background. */
    void setMode(CacheMode mode);

    long sequentialCutoffBytes();

    CleanerSettings writebackSettings();

    /** Sets everything that can be set. */
    void apply(LiveSettings settings) throws RefusedException;

    DirtyState dirty();

    /** Whether the backing lacks something of the file. */
    boolean isDirty(FileId file);

    /**
     * Brings home what is dirty in the scope when it is called, and ends however much is written
     * meanwhile.
     *
     * @return false if the listener stopped it; what is clean by then stays clean
     * @throws IOException if something could not be brought home; it stays dirty
     */
    boolean clean(FlushScope scope, FlushProgress.Listener listener) throws IOException;
}
