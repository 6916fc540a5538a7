package org.ssdcache.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.ConflictChoice;
import org.ssdcache.daemon.MountRequest;
import org.ssdcache.daemon.MountSettings;
import org.ssdcache.mount.MountFlags;
import picocli.CommandLine.Option;

/** The options of a mount; each long option is also a key of {@code -o}, as in fstab. */
final class MountArguments {
    @Option(
            names = {"-c", "--cache"},
            paramLabel = "DIR",
            description = {
                "SSD directory that holds the cache.",
                "Default: /var/cache/ssdcache/<name> for root, else under XDG_CACHE_HOME."
            })
    private String cache;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "SIZE",
            description = {
                "Size of a new cache (K, M, G, T).",
                "Default: a tenth of the free space there."
            })
    private String size;

    @Option(
            names = {"-m", "--mode"},
            paramLabel = "MODE",
            description = "writethrough (default), writeback, writearound or none.")
    private String mode;

    @Option(
            names = {"-b", "--block-size"},
            paramLabel = "SIZE",
            description = "Block size of a new cache, 8K to 128K. Default: 16K.")
    private String blockSize;

    @Option(
            names = "-o",
            paramLabel = "OPTIONS",
            description = {
                "Settings: cache, size, mode, block_size, sequential_cutoff (default 4M,",
                "0 = never bypass), writeback_percent (default 10), writeback_delay",
                "(default 30s), writeback_running (default on), conflict (refuse, cache or",
                "backing; default refuse), xattr (on or off, default off); with commas",
                "between them. Also flags of mount(8), as ro and noexec."
            })
    private List<String> options = new ArrayList<>();

    /** What the arguments ask for. */
    MountRequest request(Path backing, Path mountpoint) throws RefusedException {
        FstabOptions parsed = FstabOptions.parse(options);
        if (parsed.remount()) {
            throw new RefusedException(
                    ExitCode.USAGE, "A mount that is there is changed with: ssdcache set.");
        }
        Map<String, String> values = new LinkedHashMap<>(parsed.settings());
        putIfGiven(values, "cache", cache);
        putIfGiven(values, "size", size);
        putIfGiven(values, "mode", mode);
        putIfGiven(values, "block_size", blockSize);
        return requestOf(backing, mountpoint, values, parsed.flags());
    }

    /**
     * What settings ask for.
     *
     * @param flags of mount(8)
     */
    static MountRequest requestOf(
            Path backing, Path mountpoint, Map<String, String> values, List<String> flags)
            throws RefusedException {
        return new MountRequest(
                backing,
                mountpoint,
                cacheOf(values),
                sizeOf(values, "size"),
                blockBytesOf(values),
                values.containsKey("mode")
                        ? MountSettings.mode(values.get("mode"))
                        : CacheMode.WRITETHROUGH,
                sizeOf(values, "sequential_cutoff")
                        .orElse(MountRequest.DEFAULT_SEQUENTIAL_CUTOFF_BYTES),
                writebackOf(values),
                values.containsKey("conflict")
                        ? MountSettings.conflict(values.get("conflict"))
                        : ConflictChoice.REFUSE,
                values.containsKey("xattr") && MountSettings.flag("xattr", values.get("xattr")),
                new MountFlags(flags));
    }

    private static void putIfGiven(Map<String, String> values, String key, String value)
            throws RefusedException {
        if (value == null) {
            return;
        }
        if (values.containsKey(key)) {
            throw new RefusedException(
                    ExitCode.USAGE,
                    String.format("The %s is given twice, also with -o.", key.replace('_', ' ')));
        }
        values.put(key, value);
    }

    private static Optional<Path> cacheOf(Map<String, String> values) throws RefusedException {
        return values.containsKey("cache")
                ? Optional.of(PathConverter.ofSetting("cache", values.get("cache")))
                : Optional.empty();
    }

    private static OptionalLong sizeOf(Map<String, String> values, String key)
            throws RefusedException {
        return values.containsKey(key)
                ? OptionalLong.of(MountSettings.size(key, values.get(key)))
                : OptionalLong.empty();
    }

    private static CleanerSettings writebackOf(Map<String, String> values) throws RefusedException {
        CleanerSettings settings = CleanerSettings.DEFAULT;
        for (String key :
                List.of(
                        MountSettings.WRITEBACK_PERCENT,
                        MountSettings.WRITEBACK_DELAY,
                        MountSettings.WRITEBACK_RUNNING)) {
            if (values.containsKey(key)) {
                settings = MountSettings.writeback(settings, key, values.get(key));
            }
        }
        return settings;
    }

    private static OptionalInt blockBytesOf(Map<String, String> values) throws RefusedException {
        OptionalLong bytes = sizeOf(values, "block_size");
        return bytes.isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of((int) Math.min(bytes.getAsLong(), Integer.MAX_VALUE));
    }
}
