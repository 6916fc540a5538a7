package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

/** A cache that a running mount is to take into use, with the keys of {@code mount -o}. */
public record AttachRequest(Map<String, String> values) {
    private static final String CACHE = "cache";
    private static final String SIZE = "size";
    private static final String BLOCK_SIZE = "block_size";
    private static final String MODE = "mode";
    private static final List<String> KEYS = List.of(CACHE, SIZE, BLOCK_SIZE, MODE);

    public AttachRequest {
        values = Map.copyOf(values);
    }

    /**
     * The same with the cache's true path, after all that must be looked at through the mount,
     * which the daemon itself must not do.
     *
     * @param warnings gets a sentence for what is allowed but hardly meant
     */
    public AttachRequest checkedFor(MountTable.Entry mount, Consumer<String> warnings)
            throws IOException, RefusedException {
        Path cache = Directories.future(cache());
        new Placement(Path.of(mount.source()), mount.mountpoint(), cache).check();
        new CachePlace(cache, warnings).check(MountTable.read());
        Map<String, String> checked = new LinkedHashMap<>(values);
        checked.put(CACHE, cache.toString());
        return new AttachRequest(checked);
    }

    private Path cache() throws RefusedException {
        String cache = values.get(CACHE);
        if (cache == null || cache.isEmpty()) {
            throw new RefusedException(ExitCode.USAGE, "The directory of the cache is missing.");
        }
        return Path.of(cache);
    }

    /**
     * The plan of a mount that has this cache.
     *
     * @param mount what it was mounted as
     * @param settings what counts where the request says nothing
     */
    MountPlan plan(MountPlan mount, LiveSettings settings) throws IOException, RefusedException {
        for (String key : values.keySet()) {
            if (!KEYS.contains(key)) {
                throw new RefusedException(
                        ExitCode.USAGE,
                        String.format(
                                "A cache has no setting \"%s\"; there are %s.",
                                key, String.join(", ", KEYS)));
            }
        }
        Path cache = cache();
        refuseOverlap(cache, mount);
        MountRequest request =
                new MountRequest(
                        mount.backing(),
                        mount.mountpoint(),
                        Optional.of(cache),
                        size(),
                        blockBytes(),
                        values.containsKey(MODE)
                                ? MountSettings.mode(values.get(MODE))
                                : settings.mode(),
                        settings.sequentialCutoffBytes(),
                        settings.writeback(),
                        mount.conflict(),
                        mount.extendedAttributes(),
                        mount.flags());
        CacheShape shape = CacheShape.decide(request, cache, CacheContents.examine(cache));
        JvmFlags.refuseWithoutHeap(shape);
        return MountPlan.of(
                request,
                mount.backing(),
                mount.mountpoint(),
                cache,
                shape,
                mount.logDirectory(),
                mount.temporaryDirectory());
    }

    /** By name only: the command has looked closer. */
    private static void refuseOverlap(Path cache, MountPlan mount) throws RefusedException {
        for (Path other : List.of(mount.backing(), mount.mountpoint())) {
            if (!cache.isAbsolute() || cache.startsWith(other) || other.startsWith(cache)) {
                throw new RefusedException(
                        ExitCode.OVERLAP,
                        String.format(
                                "The cache %s and %s lie inside each other; choose another"
                                        + " directory.",
                                cache, other));
            }
        }
    }

    private OptionalLong size() throws RefusedException {
        return values.containsKey(SIZE)
                ? OptionalLong.of(MountSettings.size(SIZE, values.get(SIZE)))
                : OptionalLong.empty();
    }

    private OptionalInt blockBytes() throws RefusedException {
        return values.containsKey(BLOCK_SIZE)
                ? OptionalInt.of(
                        (int)
                                Math.min(
                                        MountSettings.size(BLOCK_SIZE, values.get(BLOCK_SIZE)),
                                        Integer.MAX_VALUE))
                : OptionalInt.empty();
    }
}
