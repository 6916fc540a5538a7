package org.ssdcache.control;

import java.util.List;
import java.util.Map;

/** What a running mount can be asked for. Called by several threads at once. */
public interface MountControl {
    MountStatus status();

    /**
     * Changes settings of the running mount: all of them or, when one is refused, none.
     *
     * @param values keys and values as on the command line, in the order given
     */
    void set(Map<String, String> values) throws RefusedException;

    /**
     * Returns when the backing directory alone holds, durably, what the mount shows (invariant I3).
     * Stopped by the listener it is refused; what is clean by then stays clean.
     *
     * @param paths files, and directories for all that is in them, relative to the mountpoint;
     *     empty means everything
     */
    void flush(List<String> paths, FlushProgress.Listener listener) throws RefusedException;

    /**
     * Brings everything dirty home and goes on without a cache. Stopped by the listener, the cache
     * stays in use.
     */
    void detach(FlushProgress.Listener listener) throws RefusedException;

    /**
     * Takes a cache into use, of a mount that has none.
     *
     * @param values keys and values as on the command line of {@code mount}: cache, size,
     *     block_size, mode
     */
    void attach(Map<String, String> values) throws RefusedException;

    /**
     * Unmounts and returns when everything is closed; the process ends right after.
     *
     * @param flush whether to {@link #flush} everything before; stopped by the listener, it stays
     *     mounted
     * @return what the backing directory does not have
     */
    DirtyLeft unmount(boolean flush, FlushProgress.Listener listener) throws RefusedException;
}
