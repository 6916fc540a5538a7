package org.ssdcache.daemon;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

/**
 * Where things lie with respect to each other. A daemon that touches its own mount waits for
 * itself, so nothing it needs may lie there.
 */
final class Placement {
    private final Path backing;
    private final Path mountpoint;
    private final Path cache;

    Placement(Path backing, Path mountpoint, Path cache) {
        this.backing = backing;
        this.mountpoint = mountpoint;
        this.cache = cache;
    }

    void check() throws IOException, RefusedException {
        if (!backing.equals(mountpoint)) {
            refuseInside("mountpoint", mountpoint, "backing directory", backing);
            refuseInside("backing directory", backing, "mountpoint", mountpoint);
        }
        refuseInside("cache", cache, "mountpoint", mountpoint);
        refuseInside("cache", cache, "backing directory", backing);
        if (Files.exists(cache)) {
            refuseInside("mountpoint", mountpoint, "cache", cache);
            refuseInside("backing directory", backing, "cache", cache);
        }
        for (Path program : programFiles()) {
            refuseInside("program", program, "mountpoint", mountpoint);
        }
    }

    private static void refuseInside(String what, Path path, String where, Path directory)
            throws IOException, RefusedException {
        if (Directories.isInside(path, directory)) {
            throw new RefusedException(
                    ExitCode.OVERLAP,
                    String.format(
                            "The %s %s lies inside the %s %s; choose one outside of it.",
                            what, path, where, directory));
        }
    }

    private static List<Path> programFiles() {
        String[] classPath = System.getProperty("java.class.path").split(File.pathSeparator, -1);
        List<Path> files = new ArrayList<>();
        files.add(Path.of(System.getProperty("java.home")));
        for (String element : classPath) {
            files.add(Path.of(element).toAbsolutePath());
        }
        return files;
    }

    /** The first of two directories that lies neither in the mount nor in the cache. */
    Path outside(String what, Path preferred, Path otherwise) throws IOException, RefusedException {
        if (isOutside(preferred)) {
            return preferred;
        }
        if (isOutside(otherwise)) {
            return otherwise;
        }
        throw new RefusedException(
                ExitCode.OVERLAP,
                String.format(
                        "There is no place for the %s: %s and %s both lie inside the mountpoint,"
                                + " the backing directory or the cache.",
                        what, preferred, otherwise));
    }

    /** A directory outside of everything to which a library can be unpacked and run from. */
    Path temporaryDirectory(MountTable mounts, Path runtimeDirectory)
            throws IOException, RefusedException {
        List<Path> candidates =
                List.of(
                        Path.of(System.getProperty("java.io.tmpdir")),
                        Path.of("/var/tmp"),
                        runtimeDirectory);
        List<Path> full = new ArrayList<>();
        for (Path candidate : candidates) {
            if (isOutside(candidate)
                    && Files.isWritable(candidate)
                    && allowsPrograms(mounts, candidate.toRealPath())) {
                if (NativeLibrary.hasRoomIn(candidate)) {
                    return candidate.toRealPath();
                }
                full.add(candidate);
            }
        }
        if (!full.isEmpty()) {
            throw NativeLibrary.noRoom(
                    full.stream().map(Path::toString).collect(Collectors.joining(", ")));
        }
        throw new RefusedException(
                ExitCode.OVERLAP,
                "There is no directory for temporary files: all of "
                        + candidates
                        + " lie inside the mount or are mounted noexec; set"
                        + " JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=DIR.");
    }

    private static boolean allowsPrograms(MountTable mounts, Path directory) {
        Optional<MountTable.Entry> mount = mounts.holding(directory);
        return mount.isEmpty() || !mount.get().options().contains("noexec");
    }

    private boolean isOutside(Path path) throws IOException {
        return !Directories.isInside(path, mountpoint)
                && !Directories.isInside(path, backing)
                && !(Files.exists(cache) && Directories.isInside(path, cache));
    }
}
