package org.ssdcache.daemon;

import java.nio.file.Path;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.mount.MountFlags;

/**
 * A mount that was checked: every path absolute and free of symbolic links, every default decided.
 *
 * @param logDirectory where the log and crash reports go
 * @param temporaryDirectory where libraries may be unpacked and run from
 */
public record MountPlan(
        Path backing,
        Path mountpoint,
        Path cache,
        long sizeBytes,
        int blockBytes,
        CacheMode mode,
        long sequentialCutoffBytes,
        CleanerSettings writeback,
        ConflictChoice conflict,
        boolean extendedAttributes,
        MountFlags flags,
        Path logDirectory,
        Path temporaryDirectory) {

    /**
     * What a request comes to.
     *
     * @param cache the cache's directory
     * @param shape of the cache that is there, or that will be made
     */
    static MountPlan of(
            MountRequest request,
            Path backing,
            Path mountpoint,
            Path cache,
            CacheShape shape,
            Path logDirectory,
            Path temporaryDirectory) {
        return new MountPlan(
                backing,
                mountpoint,
                cache,
                shape.sizeBytes(),
                shape.blockBytes(),
                request.mode(),
                request.sequentialCutoffBytes(),
                request.writeback(),
                request.conflict(),
                request.extendedAttributes(),
                request.flags(),
                logDirectory,
                temporaryDirectory);
    }

    public boolean inPlace() {
        return backing.equals(mountpoint);
    }

    /** The log of this mount's daemon. */
    public Path logFile() {
        return logDirectory.resolve(MountName.of(mountpoint) + ".log");
    }
}
