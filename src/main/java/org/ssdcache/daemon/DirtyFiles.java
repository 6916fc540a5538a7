package org.ssdcache.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Files that a cache had changes of at some time, for whoever has to do without the cache.
 *
 * @param listedSeconds when, seconds since 1970; 0 if never
 * @param paths from the backing directory; the first of them
 * @param more how many there were besides
 */
public record DirtyFiles(long listedSeconds, List<String> paths, long more) {
    static final DirtyFiles NONE = new DirtyFiles(0, List.of(), 0);

    /** The marker stays a small file; where it is cut off, only names are missing. */
    static final int MAX_PATHS = 100;

    private static final int MAX_PATH_LENGTH = 120;
    private static final String LISTED = "listed_seconds";
    private static final String MORE = "more_files";
    private static final String FILE = "file.";

    public DirtyFiles {
        paths = List.copyOf(paths);
    }

    /** Whether anything is known. */
    public boolean isKnown() {
        return listedSeconds > 0;
    }

    /** Lines of a properties file; nothing if nothing is known. */
    String lines() {
        if (!isKnown()) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        text.append(String.format("%s=%d%n%s=%d%n", LISTED, listedSeconds, MORE, more));
        for (int i = 0; i < paths.size(); i++) {
            text.append(String.format("%s%d=%s%n", FILE, i, DirtyMarker.escape(cut(paths.get(i)))));
        }
        return text.toString();
    }

    private static String cut(String path) {
        return path.length() <= MAX_PATH_LENGTH
                ? path
                : "..." + path.substring(path.length() - MAX_PATH_LENGTH);
    }

    /**
     * What {@link #lines} has written; a number that is none is a {@code NumberFormatException}.
     */
    static DirtyFiles of(Properties lines) {
        if (lines.getProperty(LISTED) == null) {
            return NONE;
        }
        List<String> paths = new ArrayList<>();
        for (int i = 0; lines.getProperty(FILE + i) != null; i++) {
            paths.add(lines.getProperty(FILE + i));
        }
        return new DirtyFiles(
                Long.parseLong(lines.getProperty(LISTED)),
                paths,
                Long.parseLong(lines.getProperty(MORE, "0")));
    }
}
