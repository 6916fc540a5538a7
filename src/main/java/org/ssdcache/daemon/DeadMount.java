package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

/**
 * Mounts whose daemon has died: every access fails with "Transport endpoint is not connected".
 *
 * <p>A mount is never made over one, and removes none: programs that still have files open there
 * would not notice. {@code umount} is the request that does it.
 */
public final class DeadMount {
    private static final int DETACH_TIMEOUT_SECONDS = 20;

    private DeadMount() {}

    /** Refuses a mountpoint that is a mount of ours already, or a dead mount of anybody. */
    static void refuseAt(Path mountpoint, SystemPaths paths) throws IOException, RefusedException {
        Path real = resolve(mountpoint);
        Optional<MountTable.Entry> mount = MountTable.read().topAt(real);
        if (mount.isEmpty()) {
            return;
        }
        if (mount.get().isOurs()) {
            if (isAlive(mount.get(), paths)) {
                throw new RefusedException(
                        ExitCode.ALREADY_MOUNTED,
                        String.format(
                                "%s is an ssdcache mount already; unmount it first with: ssdcache"
                                        + " umount %s",
                                real, real));
            }
            throw new RefusedException(ExitCode.DEAD_MOUNT, sentence(real));
        }
        if (isDisconnected(real)) {
            throw new RefusedException(
                    ExitCode.DEAD_MOUNT,
                    String.format(
                            "A dead mount of type %s is at %s; remove it with: %s",
                            mount.get().type(),
                            real,
                            String.join(" ", detachCommand(real, paths))));
        }
    }

    /** What to tell about a dead mount of ours. */
    public static String sentence(Path mountpoint) {
        return String.format(
                "The daemon of %s has died; remove the dead mount with: ssdcache umount %s",
                mountpoint, mountpoint);
    }

    /** Whether a daemon serves the mount, be it slow. */
    public static boolean isAlive(MountTable.Entry mount, SystemPaths paths)
            throws IOException, RefusedException {
        return hasDaemon(mount, paths) || !isDisconnected(mount.mountpoint());
    }

    /** False also when only the mount's owner may know. */
    private static boolean hasDaemon(MountTable.Entry mount, SystemPaths paths)
            throws IOException, RefusedException {
        try {
            return RuntimeFiles.of(paths, mount).daemonLives();
        } catch (AccessDeniedException e) {
            return false;
        }
    }

    /** Removes a dead mount of ours, and the socket of its daemon. */
    public static void detach(MountTable.Entry mount, SystemPaths paths)
            throws IOException, RefusedException {
        detach(mount.mountpoint(), paths);
        RuntimeFiles.of(paths, mount).removeStaleSocket();
    }

    private static void detach(Path mountpoint, SystemPaths paths)
            throws IOException, RefusedException {
        if (!runDetach(mountpoint, paths)) {
            throw new RefusedException(
                    ExitCode.DEAD_MOUNT,
                    String.format(
                            "The daemon of %s has died and its mount cannot be removed; as root"
                                    + " run: umount -l %s",
                            mountpoint, mountpoint));
        }
    }

    /** Takes a living mount out of the tree now; it ends when nobody uses it any more. */
    public static void detachLazily(Path mountpoint, SystemPaths paths)
            throws IOException, RefusedException {
        if (!runDetach(mountpoint, paths)) {
            throw new RefusedException(
                    ExitCode.FAILURE,
                    String.format(
                            "%s cannot be detached: \"%s\" failed.",
                            mountpoint, String.join(" ", detachCommand(mountpoint, paths))));
        }
    }

    private static boolean runDetach(Path mountpoint, SystemPaths paths) throws IOException {
        Process process =
                new ProcessBuilder(detachCommand(mountpoint, paths))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        if (ended(process)) {
            return process.exitValue() == 0;
        }
        process.destroyForcibly();
        return false;
    }

    private static boolean ended(Process process) {
        try {
            return process.waitFor(DETACH_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** With -i, umount(8) does not call this program in turn. */
    private static List<String> detachCommand(Path mountpoint, SystemPaths paths) {
        return paths.isRoot()
                ? List.of("umount", "-i", "-l", mountpoint.toString())
                : List.of("fusermount", "-u", "-z", mountpoint.toString());
    }

    /** A dead mount cannot be looked at, so only its parent is resolved. */
    public static Path resolve(Path mountpoint) throws IOException {
        Path absolute = mountpoint.toAbsolutePath().normalize();
        try {
            return absolute.toRealPath();
        } catch (NoSuchFileException e) {
            return absolute;
        } catch (IOException e) {
            Path parent = absolute.getParent();
            return parent == null ? absolute : parent.toRealPath().resolve(absolute.getFileName());
        }
    }

    private static boolean isDisconnected(Path mountpoint) {
        // The kernel answers a stat from what it remembers; only an open asks the daemon.
        try (DirectoryStream<Path> asked = Files.newDirectoryStream(mountpoint)) {
            return false;
        } catch (IOException e) {
            return Directories.reason(e).contains("not connected");
        }
    }
}
