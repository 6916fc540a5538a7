package org.ssdcache.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/** A cache's directory, locked against a second daemon (invariant I11) and holding a cache. */
final class CacheDirectory implements Closeable {
    private static final Set<PosixFilePermission> PRIVATE =
            PosixFilePermissions.fromString("rwx------");

    private final Path path;
    private final CacheProperties properties;
    private final RuntimeFiles.HeldLock lock;

    private CacheDirectory(Path path, CacheProperties properties, RuntimeFiles.HeldLock lock) {
        this.path = path;
        this.properties = properties;
        this.lock = lock;
    }

    /**
     * Opens the cache of the plan, or makes it. When that fails, what was made is removed.
     *
     * @param identity the backing directory that the cache must belong to
     */
    static CacheDirectory open(MountPlan plan, BackingIdentity identity, StartupReport report)
            throws IOException, RefusedException {
        Path path = plan.cache();
        boolean isNew = !Files.exists(path);
        FileAttribute<?> mode = PosixFilePermissions.asFileAttribute(PRIVATE);
        Files.createDirectories(path, mode);
        Path lockFile = path.resolve(CacheContents.LOCK);
        RuntimeFiles.HeldLock lock = take(path, lockFile);
        boolean done = false;
        try {
            Optional<CacheProperties> existing = CacheContents.examine(path);
            CacheProperties properties =
                    existing.isPresent()
                            ? belongingTo(identity, path, existing.get(), plan)
                            : new CacheMaker(plan, report).make(identity);
            Files.setPosixFilePermissions(path, PRIVATE);
            done = true;
            return new CacheDirectory(path, properties, lock);
        } finally {
            if (!done) {
                lock.close();
            }
            if (!done && isNew) {
                Files.deleteIfExists(lockFile);
                Files.deleteIfExists(path);
            }
        }
    }

    private static RuntimeFiles.HeldLock take(Path path, Path lockFile)
            throws IOException, RefusedException {
        return RuntimeFiles.HeldLock.tryTake(lockFile)
                .orElseThrow(
                        () ->
                                new RefusedException(
                                        ExitCode.CACHE_BUSY,
                                        String.format(
                                                "Another daemon uses the cache %s; name another"
                                                        + " directory for the cache.",
                                                path)));
    }

    private static CacheProperties belongingTo(
            BackingIdentity identity, Path path, CacheProperties properties, MountPlan plan)
            throws RefusedException {
        if (properties.identity().isSameDirectory(identity)) {
            return properties;
        }
        throw new RefusedException(
                ExitCode.CACHE_UNUSABLE,
                String.format(
                        "The cache %s belongs to another directory (%s when it was made), not to"
                                + " %s; name another cache, or remove it.",
                        path, properties.backing(), plan.backing()));
    }

    Path path() {
        return path;
    }

    CacheProperties properties() {
        return properties;
    }

    Path storeFile() {
        return path.resolve(CacheContents.STORE);
    }

    Path indexFile() {
        return path.resolve(CacheContents.INDEX);
    }

    Path historyFile() {
        return path.resolve(CacheContents.HISTORY);
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
