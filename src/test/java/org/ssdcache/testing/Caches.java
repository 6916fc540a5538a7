package org.ssdcache.testing;

import java.io.IOException;
import java.nio.file.Path;
import org.ssdcache.cache.BackingTree;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.io.Clock;
import org.ssdcache.metrics.Counters;
import org.ssdcache.store.BlockStore;
import org.ssdcache.store.StoreGeometry;
import org.ssdcache.store.StoreIdentity;

/** Caches for tests of the layers above. */
public final class Caches {
    private static final long CACHE_BYTES = 16 << 20;
    private static final int BLOCK_BYTES = 16 << 10;

    private Caches() {}

    /**
     * A small cache whose SSD is memory.
     *
     * @param directory for the index image
     */
    public static BlockCache inMemory(Path directory) throws IOException {
        MemoryBlockFile ssd = new MemoryBlockFile();
        StoreGeometry geometry = StoreGeometry.forSize(CACHE_BYTES, BLOCK_BYTES);
        BlockStore.format(ssd, geometry, new StoreIdentity(1, 2), bytes -> {});
        return BlockCache.start(
                BlockStore.open(ssd, "boot"),
                directory.resolve("index"),
                new BackingTree(() -> {}, BackingTree.Lock.NONE),
                CacheMode.WRITETHROUGH,
                new Counters(),
                Clock.SYSTEM);
    }
}
