package org.ssdcache.mount;

import java.util.List;
import java.util.StringJoiner;

/**
 * How to mount.
 *
 * @param mountpoint absolute path of the directory to mount over
 * @param source what the mount table names as the source
 * @param allowOther whether other users than the daemon's may use the mount
 * @param flags those of mount(8), as words
 * @param xattr whether extended attributes are passed through; costs a question before writes
 * @param threads requests that are served at the same time
 * @param maxBackground readahead and write-back requests that the kernel has under way
 */
public record MountOptions(
        String mountpoint,
        String source,
        boolean allowOther,
        List<String> flags,
        boolean xattr,
        int threads,
        int maxBackground) {
    public static final String SUBTYPE = "ssdcache";
    public static final int DEFAULT_THREADS = 32;
    public static final int DEFAULT_MAX_BACKGROUND = 64;

    /** What libfuse 2's fixed buffer holds; it cannot be larger. */
    static final int MAX_TRANSFER_BYTES = 1 << 17;

    public MountOptions {
        flags = List.copyOf(flags);
        if (threads < 1 || maxBackground < 1) {
            throw new IllegalArgumentException("threads and background requests: at least one");
        }
        if (!mountpoint.startsWith("/")) {
            throw new IllegalArgumentException("not an absolute path: " + mountpoint);
        }
    }

    /** What most mounts use. */
    public static MountOptions of(String mountpoint, String source, boolean allowOther) {
        return new MountOptions(
                mountpoint,
                source,
                allowOther,
                List.of(),
                false,
                DEFAULT_THREADS,
                DEFAULT_MAX_BACKGROUND);
    }

    /** The -o argument for libfuse. */
    String toLibFuse() {
        StringJoiner options = new StringJoiner(",");
        if (allowOther) {
            options.add("allow_other");
        }
        flags.forEach(options::add);
        return options.add("default_permissions")
                .add("big_writes")
                .add("nonempty")
                .add("fsname=" + escape(source))
                .add("subtype=" + SUBTYPE)
                .add("max_write=" + MAX_TRANSFER_BYTES)
                .add("max_readahead=" + MAX_TRANSFER_BYTES)
                .add("max_background=" + maxBackground)
                .toString();
    }

    /** libfuse splits at commas that no backslash precedes. */
    private static String escape(String value) {
        return value.replace("\\", "\\\\").replace(",", "\\,");
    }
}
