package org.ssdcache.daemon;

import java.io.IOException;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.control.RefusedException;

/** The cache that a mount has, or has not, while it serves. Called by many threads. */
interface MountedCache {
    /** What is steered at present. */
    Engine engine();

    /** The directory of the cache; empty while there is none. */
    String directory();

    /** The settings of the cache, or, while there is none, those that the last one had. */
    LiveSettings settings();

    /**
     * Brings everything dirty home and goes on without a cache.
     *
     * @param listener may stop the first part; the cache stays in use then
     */
    void detach(FlushProgress.Listener listener) throws IOException, RefusedException;

    /**
     * Takes a cache into use.
     *
     * @param plan the mount's, with this cache
     */
    void attach(MountPlan plan) throws IOException, RefusedException;
}
