package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/** Names of the files in a cache directory, and whether a directory may be taken as one. */
final class CacheContents {
    static final String LOCK = "lock";
    static final String STORE = "store";
    static final String INDEX = "index.mapdb";
    static final String INDEX_SEAL = INDEX + ".seal";
    static final String HISTORY = "history.json";

    /** The true mode of a locked backing directory. */
    static final String GUARD = "guard.properties";

    /** Made by mkfs.ext4 at the top of every filesystem. */
    private static final String LOST_AND_FOUND = "lost+found";

    /** What an attempt to make a cache may leave behind that was interrupted. */
    private static final Set<String> UNFINISHED =
            Set.of(LOCK, STORE, "cache.properties.new", LOST_AND_FOUND);

    private CacheContents() {}

    /**
     * What the directory holds.
     *
     * @return the properties of a complete cache; empty when a new one can be made here
     * @throws RefusedException when it is something else, or cannot be looked at
     */
    static Optional<CacheProperties> examine(Path cache) throws IOException, RefusedException {
        if (!Files.exists(cache)) {
            return Optional.empty();
        }
        if (!Files.isDirectory(cache)) {
            throw new RefusedException(
                    ExitCode.NO_SUCH_PATH, "The cache " + cache + " is not a directory.");
        }
        try {
            Optional<CacheProperties> properties = CacheProperties.read(cache);
            if (properties.isEmpty()) {
                refuseForeignFiles(cache);
            }
            return properties;
        } catch (AccessDeniedException e) {
            throw new RefusedException(
                    ExitCode.PERMISSION, "You may not read the cache " + cache + ".", e);
        }
    }

    private static void refuseForeignFiles(Path cache) throws IOException, RefusedException {
        try (Stream<Path> files = Files.list(cache)) {
            Optional<Path> foreign =
                    files.filter(file -> !UNFINISHED.contains(file.getFileName().toString()))
                            .findFirst();
            if (foreign.isPresent()) {
                throw new RefusedException(
                        ExitCode.CACHE_UNUSABLE,
                        String.format(
                                "%s holds other files (%s) and no cache; name an empty or a new"
                                        + " directory for the cache.",
                                cache, foreign.get().getFileName()));
            }
        }
    }
}
