package org.ssdcache.daemon;

import java.nio.file.Path;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.mount.MountFlags;

/** Plans for tests, of the smallest cache. */
final class Plans {
    private Plans() {}

    static MountPlan of(Path backing, Path mountpoint) {
        return of(backing, mountpoint, Path.of("/nowhere/cache"));
    }

    static MountPlan of(Path backing, Path mountpoint, Path cache) {
        return new MountPlan(
                backing,
                mountpoint,
                cache,
                CacheShape.MIN_SIZE_BYTES,
                16384,
                CacheMode.WRITETHROUGH,
                0,
                CleanerSettings.DEFAULT,
                ConflictChoice.REFUSE,
                false,
                MountFlags.NONE,
                Path.of("/nowhere/log"),
                Path.of("/tmp"));
    }
}
