package org.ssdcache.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A setting of a mount, as it is written behind {@code -o} and in fstab: {@code key=value}. */
enum Setting {
    CACHE(
            "cache",
            "DIR",
            "/var/cache/ssdcache/<name of BACKING>",
            "Directory on the SSD that holds the cache; it is made if need be."),
    SIZE(
            "size",
            "16M to what is free there",
            "a tenth of the free space",
            "Size of a new cache with everything in it."),
    MODE(
            "mode",
            "writethrough, writeback, writearound, none",
            "writethrough",
            "Where writes go, and what is cached of them.",
            true),
    BLOCK_SIZE("block_size", "8K, 16K, 32K, 64K, 128K", "16K", "Block size of a new cache."),
    SEQUENTIAL_CUTOFF(
            "sequential_cutoff",
            "SIZE, or 0",
            "4M",
            "Streams that are longer than this go past the cache; 0: none does.",
            true),
    WRITEBACK_PERCENT(
            "writeback_percent",
            "0 to 40",
            "10",
            "Share of the cache that writeback keeps dirty.",
            true),
    WRITEBACK_DELAY(
            "writeback_delay",
            "1s to 1d, or 0",
            "30s",
            "How long a block stays dirty before it goes home in the background.",
            true),
    WRITEBACK_RUNNING(
            "writeback_running",
            "on, off",
            "on",
            "off: nothing goes home by itself, only by flush and umount.",
            true),
    CONFLICT(
            "conflict",
            "refuse, cache, backing",
            "refuse",
            "What becomes of files that are dirty in the cache and were changed behind it."),
    XATTR("xattr", "on, off", "off", "on: extended attributes are passed through.");

    private final String key;
    private final String range;
    private final String byDefault;
    private final String meaning;
    private final boolean live;

    Setting(String key, String range, String byDefault, String meaning) {
        this(key, range, byDefault, meaning, false);
    }

    Setting(String key, String range, String byDefault, String meaning, boolean live) {
        this.key = key;
        this.range = range;
        this.byDefault = byDefault;
        this.meaning = meaning;
        this.live = live;
    }

    String key() {
        return key;
    }

    /** Which values it may have, for people. */
    String range() {
        return range;
    }

    /** Its value when it is not given, for people. */
    String byDefault() {
        return byDefault;
    }

    /** A sentence for people. */
    String meaning() {
        return meaning;
    }

    /** Whether it can be changed while the mount serves. */
    boolean isLive() {
        return live;
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(Setting::key).toList();
    }

    static Optional<Setting> of(String key) {
        return Arrays.stream(values()).filter(setting -> setting.key.equals(key)).findFirst();
    }
}
