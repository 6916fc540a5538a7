package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Path;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/** The cache of a running mount, and a request that may ask for another one. */
public final class CacheInUse {
    private CacheInUse() {}

    /**
     * Refuses a request whose directory, size or block size is not that of the cache.
     *
     * @param cache as the mount's status tells it; empty when the mount has none at present
     */
    public static void refuseOther(MountRequest request, String cache)
            throws IOException, RefusedException {
        if (cache.isEmpty()) {
            return;
        }
        Path used = Path.of(cache);
        if (request.cache().isPresent()
                && !Directories.future(request.cache().get()).equals(used)) {
            throw new RefusedException(
                    ExitCode.UNSUPPORTED,
                    String.format(
                            "The mount %s has the cache %s, which a remount cannot change; use"
                                    + " \"ssdcache detach\" and \"ssdcache attach\".",
                            request.mountpoint(), used));
        }
        CacheShape.decide(request, used, CacheContents.examine(used));
    }
}
