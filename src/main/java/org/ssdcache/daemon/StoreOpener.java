package org.ssdcache.daemon;

import java.io.IOException;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.BootId;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.NativeBlockFile;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.store.BlockStore;
import org.ssdcache.store.StoreException;

/** Opens the store of a cache directory, or says why it cannot be used. */
final class StoreOpener {
    private StoreOpener() {}

    static BlockStore open(CacheDirectory cache) throws IOException, RefusedException {
        NativeBlockFile file = openFile(cache);
        boolean done = false;
        try {
            BlockStore store = BlockStore.open(file, BootId.read());
            if (store.identity().backingId() != cache.properties().backingId()) {
                throw unusable(cache, "its files come from different caches", null);
            }
            done = true;
            return store;
        } catch (StoreException e) {
            throw refusal(cache, e);
        } finally {
            if (!done) {
                file.close();
            }
        }
    }

    private static NativeBlockFile openFile(CacheDirectory cache)
            throws IOException, RefusedException {
        try {
            return NativeBlockFile.open(cache.storeFile().toString(), OpenFlags.O_RDWR, 0);
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ENOENT) {
                throw unusable(cache, "its store is missing", e);
            }
            throw e;
        }
    }

    private static RefusedException refusal(CacheDirectory cache, StoreException e) {
        boolean newer =
                e.reason() == StoreException.Reason.NEWER_VERSION
                        || e.reason() == StoreException.Reason.UNKNOWN_FEATURE;
        if (newer) {
            return new RefusedException(
                    ExitCode.CACHE_UNUSABLE,
                    String.format(
                            "The cache %s was made by a newer version; use that version, or"
                                    + " another directory for the cache.",
                            cache.path()),
                    e);
        }
        return unusable(cache, e.getMessage(), e);
    }

    private static RefusedException unusable(CacheDirectory cache, String why, Throwable cause) {
        return new RefusedException(
                ExitCode.CACHE_UNUSABLE,
                String.format(
                        "The cache %s cannot be used: %s; remove the directory to begin with an"
                                + " empty cache (it holds nothing that the backing directory has"
                                + " not).",
                        cache.path(), why),
                cause);
    }
}
