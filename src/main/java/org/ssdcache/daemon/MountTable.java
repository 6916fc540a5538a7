package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The kernel's list of mounts, {@code /proc/self/mountinfo}; reading it touches no mount. */
public final class MountTable {
    /** The filesystem type of our mounts. */
    public static final String TYPE = "fuse.ssdcache";

    private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");
    private static final int MOUNTPOINT_FIELD = 4;
    private static final int MOUNT_OPTIONS_FIELD = 5;

    private final List<Entry> entries;

    /**
     * One mount.
     *
     * @param options those of the mount and those of the filesystem
     */
    public record Entry(Path mountpoint, String type, List<String> options) {
        public Entry {
            options = List.copyOf(options);
        }

        public boolean isOurs() {
            return type.equals(TYPE);
        }

        /** The user whose daemon serves a FUSE mount. */
        long userId() {
            return options.stream()
                    .filter(option -> option.startsWith("user_id="))
                    .mapToLong(option -> Long.parseLong(option.substring("user_id=".length())))
                    .findFirst()
                    .orElse(0);
        }
    }

    private MountTable(List<Entry> entries) {
        this.entries = entries;
    }

    public static MountTable read() throws IOException {
        return parse(new String(Files.readAllBytes(MOUNTINFO), StandardCharsets.UTF_8));
    }

    static MountTable parse(String mountinfo) {
        List<Entry> entries = new ArrayList<>();
        mountinfo.lines().forEach(line -> entries.add(parseLine(line)));
        return new MountTable(entries);
    }

    private static Entry parseLine(String line) {
        List<String> fields = List.of(line.split(" "));
        int separator = fields.indexOf("-");
        List<String> options = new ArrayList<>();
        options.addAll(List.of(fields.get(MOUNT_OPTIONS_FIELD).split(",")));
        options.addAll(List.of(fields.get(fields.size() - 1).split(",")));
        return new Entry(
                Path.of(unescape(fields.get(MOUNTPOINT_FIELD))),
                fields.get(separator + 1),
                options);
    }

    /** The kernel writes blank, tab, newline and backslash in octal. */
    private static String unescape(String text) {
        return text.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    /** The mount that a path lookup meets there: the one mounted last. */
    public Optional<Entry> topAt(Path mountpoint) {
        return entries.stream()
                .filter(entry -> entry.mountpoint().equals(mountpoint))
                .reduce((earlier, later) -> later);
    }

    /** The mount that holds a path. */
    Optional<Entry> holding(Path path) {
        for (Path at = path; at != null; at = at.getParent()) {
            Optional<Entry> entry = topAt(at);
            if (entry.isPresent()) {
                return entry;
            }
        }
        return Optional.empty();
    }

    /** Mounts strictly below a directory. */
    List<Path> below(Path directory) {
        return entries.stream()
                .map(Entry::mountpoint)
                .filter(path -> path.startsWith(directory) && !path.equals(directory))
                .toList();
    }

    /** Every mount of this program, by mountpoint. */
    public List<Entry> ours() {
        return entries.stream()
                .filter(Entry::isOurs)
                .filter(entry -> topAt(entry.mountpoint()).equals(Optional.of(entry)))
                .sorted(java.util.Comparator.comparing(Entry::mountpoint))
                .toList();
    }
}
