package org.ssdcache.daemon;

import java.nio.file.Path;
import org.ssdcache.cache.CacheMode;

/** Plans for tests, of the smallest cache. */
final class Plans {
    private Plans() {}

    static MountPlan of(Path backing, Path mountpoint) {
        return new MountPlan(
                backing,
                mountpoint,
                Path.of("/nowhere/cache"),
                CacheShape.MIN_SIZE_BYTES,
                16384,
                CacheMode.WRITETHROUGH,
                0,
                false,
                Path.of("/nowhere/log"),
                Path.of("/tmp"));
    }
}
