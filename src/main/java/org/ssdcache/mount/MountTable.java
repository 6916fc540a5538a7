package org.ssdcache.mount;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The mounts of this process's namespace, from /proc/self/mountinfo, in the order of mounting. */
public final class MountTable {
    private static final Path SOURCE = Path.of("/proc/self/mountinfo");

    private final List<Entry> entries;

    private MountTable(List<Entry> entries) {
        this.entries = entries;
    }

    /**
     * One mount.
     *
     * @param id unique among the mounts that exist now
     * @param device major:minor of the filesystem
     * @param mountpoint its path, unescaped
     * @param type as {@code ext4} or {@code fuse.ssdcache}
     * @param source device or name that was mounted, unescaped
     */
    public record Entry(int id, String device, String mountpoint, String type, String source) {
        /** Whether it is a mount of this program. */
        public boolean isOurs() {
            return type.equals("fuse." + MountOptions.SUBTYPE);
        }
    }

    public static MountTable read() throws IOException {
        return parse(new String(Files.readAllBytes(SOURCE), StandardCharsets.UTF_8));
    }

    static MountTable parse(String mountinfo) {
        List<Entry> entries = new ArrayList<>();
        for (String line : mountinfo.split("\n", -1)) {
            if (!line.isEmpty()) {
                entries.add(parseLine(line));
            }
        }
        return new MountTable(List.copyOf(entries));
    }

    /** Fields: id parent device root mountpoint options [optional...] - type source options. */
    private static Entry parseLine(String line) {
        String[] fields = line.split(" ", -1);
        int separator = 6;
        while (!fields[separator].equals("-")) {
            separator++;
        }
        return new Entry(
                Integer.parseInt(fields[0]),
                fields[2],
                unescape(fields[4]),
                fields[separator + 1],
                unescape(fields[separator + 2]));
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

    /** What a path shows: the last mount made exactly there. */
    public Optional<Entry> topmostAt(String mountpoint) {
        return entries.stream()
                .filter(entry -> entry.mountpoint().equals(mountpoint))
                .reduce((earlier, later) -> later);
    }
}
