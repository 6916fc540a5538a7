package org.ssdcache.mount;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The mounts of this process's namespace, {@code /proc/self/mountinfo}, in the order of mounting.
 * Reading it touches no mount.
 */
public final class MountTable {
    /** The filesystem type of our mounts. */
    public static final String TYPE = "fuse." + MountOptions.SUBTYPE;

    private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");

    /** Fields: id parent device root mountpoint options [optional...] - type source options. */
    private static final int ID_FIELD = 0;

    private static final int DEVICE_FIELD = 2;
    private static final int MOUNTPOINT_FIELD = 4;
    private static final int OPTIONS_FIELD = 5;

    private final List<Entry> entries;

    private MountTable(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /**
     * One mount.
     *
     * @param id unique among the mounts that exist now
     * @param device major:minor of the filesystem
     * @param type as {@code ext4} or {@code fuse.ssdcache}
     * @param source device or name that was mounted
     * @param options those of the mount and those of the filesystem
     */
    public record Entry(
            int id,
            String device,
            Path mountpoint,
            String type,
            String source,
            List<String> options) {
        public Entry {
            options = List.copyOf(options);
        }

        /** Whether it is a mount of this program. */
        public boolean isOurs() {
            return type.equals(TYPE);
        }

        /** The user whose daemon serves a FUSE mount. */
        public long userId() {
            return options.stream()
                    .filter(option -> option.startsWith("user_id="))
                    .mapToLong(option -> Long.parseLong(option.substring("user_id=".length())))
                    .findFirst()
                    .orElse(0);
        }
    }

    public static MountTable read() throws IOException {
        return parse(new String(Files.readAllBytes(MOUNTINFO), StandardCharsets.UTF_8));
    }

    /** The mounts in the text of such a file. */
    public static MountTable parse(String mountinfo) {
        List<Entry> entries = new ArrayList<>();
        for (String line : mountinfo.split("\n", -1)) {
            if (!line.isEmpty()) {
                entries.add(parseLine(line));
            }
        }
        return new MountTable(entries);
    }

    private static Entry parseLine(String line) {
        List<String> fields = List.of(line.split(" ", -1));
        int separator = OPTIONS_FIELD + 1;
        while (!fields.get(separator).equals("-")) {
            separator++;
        }
        List<String> options = new ArrayList<>();
        options.addAll(List.of(fields.get(OPTIONS_FIELD).split(",", -1)));
        options.addAll(List.of(fields.get(separator + 3).split(",", -1)));
        return new Entry(
                Integer.parseInt(fields.get(ID_FIELD)),
                fields.get(DEVICE_FIELD),
                Path.of(unescape(fields.get(MOUNTPOINT_FIELD))),
                fields.get(separator + 1),
                unescape(fields.get(separator + 2)),
                options);
    }

    /** Blank, tab, newline and backslash stand as a backslash and three octal digits. */
    static String unescape(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        StringBuilder plain = new StringBuilder(field.length());
        int i = 0;
        while (i < field.length()) {
            char c = field.charAt(i);
            if (c == '\\' && i + 4 <= field.length()) {
                plain.append((char) Integer.parseInt(field.substring(i + 1, i + 4), 8));
                i += 4;
            } else {
                plain.append(c);
                i++;
            }
        }
        return plain.toString();
    }

    public List<Entry> entries() {
        return entries;
    }

    /** The mount that a path lookup meets there: the one mounted last. */
    public Optional<Entry> topAt(Path mountpoint) {
        return entries.stream()
                .filter(entry -> entry.mountpoint().equals(mountpoint))
                .reduce((earlier, later) -> later);
    }

    /** The mount that holds a path. */
    public Optional<Entry> holding(Path path) {
        for (Path at = path; at != null; at = at.getParent()) {
            Optional<Entry> entry = topAt(at);
            if (entry.isPresent()) {
                return entry;
            }
        }
        return Optional.empty();
    }

    /** Mounts strictly below a directory. */
    public List<Path> below(Path directory) {
        return entries.stream()
                .map(Entry::mountpoint)
                .filter(path -> path.startsWith(directory) && !path.equals(directory))
                .toList();
    }

    /** Every mount of this program that can be seen, by mountpoint. */
    public List<Entry> ours() {
        return entries.stream()
                .filter(Entry::isOurs)
                .filter(entry -> topAt(entry.mountpoint()).equals(Optional.of(entry)))
                .sorted(Comparator.comparing(Entry::mountpoint))
                .toList();
    }
}
