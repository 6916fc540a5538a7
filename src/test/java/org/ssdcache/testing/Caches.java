package org.ssdcache.testing;

import org.ssdcache.cache.BlockCache;

/** Caches for tests of the layers above. */
public final class Caches {
    private Caches() {}

    /** A cache that admits nothing: every read and write goes to the backing. */
    public static BlockCache passThrough() {
        return new BlockCache();
    }
}
