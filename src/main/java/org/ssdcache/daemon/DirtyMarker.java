package org.ssdcache.daemon;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/**
 * What is known of a locked backing directory: written into it for people, with the same for
 * programs below, and alone into the cache directory.
 *
 * @param cache path of the cache directory that holds the unwritten data
 * @param backing path of the locked directory
 * @param mountpoint where it was mounted
 * @param mode the directory's true permission bits
 * @param backingId ties it to the cache, wherever that is moved
 * @param sinceSeconds when the directory was locked, seconds since 1970
 * @param disputed the directory was found without its marker although the cache is dirty, and
 *     nobody has decided yet what counts
 * @param files what the cache had changes of when that was written down last
 */
public record DirtyMarker(
        String cache,
        String backing,
        String mountpoint,
        int mode,
        long backingId,
        long sinceSeconds,
        boolean disputed,
        DirtyFiles files) {
    /** The marker's name in the backing directory. */
    public static final String NAME = "SSDCACHE-DIRTY.txt";

    private static final String FORMAT = "1";
    private static final int MAX_MODE = 07777;
    private static final String PROGRAMS_PART = "---- for ssdcache, not to be changed ----\n";

    /** One that names no files. */
    DirtyMarker(
            String cache,
            String backing,
            String mountpoint,
            int mode,
            long backingId,
            long sinceSeconds) {
        this(cache, backing, mountpoint, mode, backingId, sinceSeconds, false, DirtyFiles.NONE);
    }

    /**
     * Reads the marker of a backing directory.
     *
     * @return empty when there is none
     * @throws RefusedException when there is something else instead
     */
    public static Optional<DirtyMarker> in(Path backing) throws IOException, RefusedException {
        Path file = backing.resolve(NAME);
        if (!Files.isDirectory(backing) || !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        Optional<DirtyMarker> marker =
                Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                        ? parse(Files.readString(file))
                        : Optional.empty();
        if (marker.isEmpty()) {
            throw notOurs(backing.toString());
        }
        return marker;
    }

    /** What to tell of a marker that was not written by this program. */
    static RefusedException notOurs(String backing) {
        return new RefusedException(
                ExitCode.CACHE_UNUSABLE,
                String.format(
                        "The file %s in the backing directory %s is not as ssdcache writes it;"
                                + " if it is yours, rename it, else remove it.",
                        NAME, backing));
    }

    DirtyMarker withMode(int otherMode) {
        return new DirtyMarker(
                cache, backing, mountpoint, otherMode, backingId, sinceSeconds, disputed, files);
    }

    DirtyMarker withSince(long otherSinceSeconds) {
        return new DirtyMarker(
                cache, backing, mountpoint, mode, backingId, otherSinceSeconds, disputed, files);
    }

    DirtyMarker withFiles(DirtyFiles otherFiles) {
        return new DirtyMarker(
                cache, backing, mountpoint, mode, backingId, sinceSeconds, disputed, otherFiles);
    }

    DirtyMarker withDisputed(boolean isDisputed) {
        return new DirtyMarker(
                cache, backing, mountpoint, mode, backingId, sinceSeconds, isDisputed, files);
    }

    /** For people, then for programs. */
    String text() {
        return String.format(
                        """
                This directory is locked, because it does not have all of its data.

                The cache %s
                holds data that was written to the files in here and has not been brought here
                yet, since %s. Used as they are, the files are older than their
                last writes, and databases may be damaged.

                What to do: mount the directory again, which unlocks it as soon as everything is
                here, and unmount it in order:

                    %s
                    ssdcache umount %s

                While it is mounted, "ssdcache status %s" tells how much is left.

                Only if that cache is lost for good: this gives up what it held and unlocks the
                directory with the files as they are:

                    ssdcache detach --discard %s

                """,
                        cache,
                        Instant.ofEpochSecond(sinceSeconds),
                        mountCommand(),
                        Shell.quote(mountpoint),
                        Shell.quote(mountpoint),
                        Shell.quote(backing))
                + PROGRAMS_PART
                + lines();
    }

    /** What to tell whoever wants to use the directory. */
    public String sentence() {
        return String.format(
                "%s is locked: the cache %s holds changes that it lacks, since %s. To bring them"
                        + " home: %s. Only if the cache is lost for good, give them up with:"
                        + " ssdcache detach --discard %s",
                backing,
                cache,
                Instant.ofEpochSecond(sinceSeconds),
                mountCommand(),
                Shell.quote(backing));
    }

    /** The command that mounts the directory with the cache that has its data. */
    String mountCommand() {
        String command =
                "ssdcache mount --cache " + Shell.quote(cache) + " " + Shell.quote(backing);
        return mountpoint.equals(backing) ? command : command + " " + Shell.quote(mountpoint);
    }

    /** For programs only. */
    String lines() {
        return String.format(
                        "format=%s%ncache=%s%nbacking=%s%nmountpoint=%s%nmode=%04o%nbacking_id=%x%n"
                                + "since_seconds=%d%n",
                        FORMAT,
                        escape(cache),
                        escape(backing),
                        escape(mountpoint),
                        mode,
                        backingId,
                        sinceSeconds)
                + (disputed ? "disputed=1\n" : "")
                + files.lines();
    }

    static String escape(String value) {
        return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    }

    /**
     * Reads {@link #text} or {@link #lines}.
     *
     * @return empty when it is neither
     */
    static Optional<DirtyMarker> parse(String text) throws IOException {
        int start = text.lastIndexOf(PROGRAMS_PART);
        Properties lines = new Properties();
        try {
            lines.load(
                    new StringReader(
                            start < 0 ? text : text.substring(start + PROGRAMS_PART.length())));
            return of(lines);
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // a number or an escape that is none
        }
    }

    private static Optional<DirtyMarker> of(Properties lines) {
        for (String key : new String[] {"cache", "backing", "mountpoint"}) {
            if (lines.getProperty(key, "").isEmpty()) {
                return Optional.empty();
            }
        }
        int mode = Integer.parseInt(lines.getProperty("mode"), 8);
        if (!FORMAT.equals(lines.getProperty("format")) || mode < 0 || mode > MAX_MODE) {
            return Optional.empty();
        }
        return Optional.of(
                new DirtyMarker(
                        lines.getProperty("cache"),
                        lines.getProperty("backing"),
                        lines.getProperty("mountpoint"),
                        mode,
                        Long.parseUnsignedLong(lines.getProperty("backing_id"), 16),
                        Long.parseLong(lines.getProperty("since_seconds")),
                        lines.containsKey("disputed"),
                        DirtyFiles.of(lines)));
    }
}
