package org.ssdcache.daemon;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.ssdcache.block.FileId;
import org.ssdcache.file.BackingTree;

/**
 * What is lost when a cache is given up, in words.
 *
 * @param source where this is known from, and as of when: a sentence
 * @param lines one for each file, with the bytes of it where they are known
 */
public record Losses(String source, List<String> lines) {
    public Losses {
        lines = List.copyOf(lines);
    }

    /**
     * From the cache itself: exactly.
     *
     * @param names by file; one that has none was unlinked while it was open
     */
    static Losses ofCache(
            Map<FileId, List<DirtyInventory.Range>> ranges, Map<FileId, String> names) {
        Map<String, String> lines = new TreeMap<>();
        ranges.forEach(
                (file, ofFile) ->
                        lines.put(
                                names.getOrDefault(
                                        file, "inode " + file.inode() + ", which has no name"),
                                ofFile.stream()
                                        .map(DirtyInventory.Range::toString)
                                        .collect(Collectors.joining(","))));
        List<String> text = new ArrayList<>();
        lines.forEach((name, bytes) -> text.add(name + ": bytes " + bytes));
        return new Losses("The cache can be read. It holds these changes:", text);
    }

    /**
     * What the marker in the backing directory says, as of some time before the end.
     *
     * @param why the cache cannot be read
     */
    static Losses ofMarker(DirtyFiles files, String why) {
        if (!files.isKnown()) {
            return unknown(why);
        }
        List<String> lines = new ArrayList<>(files.paths());
        if (files.more() > 0) {
            lines.add(String.format("(and %d more)", files.more()));
        }
        return new Losses(
                String.format(
                        "The cache cannot be read (%s). At %s it had changes of these files; others"
                                + " may have been written later:",
                        why, Instant.ofEpochSecond(files.listedSeconds())),
                lines);
    }

    private static Losses unknown(String why) {
        return new Losses(
                String.format(
                        "The cache cannot be read (%s), and it is not known which files have"
                                + " changes in it.",
                        why),
                List.of());
    }

    /** The last name of each of these files in a tree that is walked. */
    static Map<FileId, String> namesOf(Map<FileId, ?> files, TreeWalker walker) throws IOException {
        Map<FileId, String> names = new HashMap<>();
        walker.walk(
                (path, file) -> {
                    if (files.containsKey(file)) {
                        names.put(file, path);
                    }
                });
        return names;
    }

    /** Visits all files of a backing directory. */
    @FunctionalInterface
    interface TreeWalker {
        void walk(BackingTree.Visitor visitor) throws IOException;
    }
}
