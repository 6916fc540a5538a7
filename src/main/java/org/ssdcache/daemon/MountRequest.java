package org.ssdcache.daemon;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.mount.MountFlags;

/**
 * What the user asked for; what was not said is empty and is decided by {@link Preflight}.
 *
 * @param backing the slow directory
 * @param mountpoint where its files are to be seen; the same directory to mount in place
 * @param cache the SSD directory
 * @param sizeBytes size of the cache, everything included
 * @param blockBytes block size of the cache
 * @param sequentialCutoffBytes streams longer than this go past the cache; 0 = none does
 * @param conflict what is done about files that are dirty and were changed in the backing, too
 * @param extendedAttributes whether the mount passes extended attributes on
 * @param flags of mount(8)
 */
public record MountRequest(
        Path backing,
        Path mountpoint,
        Optional<Path> cache,
        OptionalLong sizeBytes,
        OptionalInt blockBytes,
        CacheMode mode,
        long sequentialCutoffBytes,
        CleanerSettings writeback,
        ConflictChoice conflict,
        boolean extendedAttributes,
        MountFlags flags) {

    /** bcache's default. */
    public static final long DEFAULT_SEQUENTIAL_CUTOFF_BYTES = 4L << 20;
}
