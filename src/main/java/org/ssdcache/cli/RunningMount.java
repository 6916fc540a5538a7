package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.Optional;
import org.ssdcache.control.ControlClient;
import org.ssdcache.control.Deadline;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.DeadMount;
import org.ssdcache.daemon.RuntimeFiles;
import org.ssdcache.daemon.SystemPaths;
import org.ssdcache.mount.MountTable;

/** A mount as the kernel shows it, and the way to its daemon. */
record RunningMount(MountTable.Entry mount, SystemPaths paths) {
    /** Finds a mount of ours by its mountpoint. */
    static RunningMount at(Path mountpoint) throws IOException, RefusedException {
        return find(mountpoint).orElseThrow(() -> notAMount(mountpoint));
    }

    /** The same, empty when there is none. */
    static Optional<RunningMount> find(Path mountpoint) throws IOException {
        Optional<MountTable.Entry> mount =
                MountTable.read()
                        .topAt(DeadMount.resolve(mountpoint))
                        .filter(MountTable.Entry::isOurs);
        return of(mount);
    }

    /** Finds a mount of ours by its backing directory. */
    static Optional<RunningMount> findByBacking(Path backing) throws IOException {
        String real = DeadMount.resolve(backing).toString();
        Optional<MountTable.Entry> mount =
                MountTable.read().ours().stream()
                        .filter(entry -> entry.source().equals(real))
                        .findFirst();
        return of(mount);
    }

    private static Optional<RunningMount> of(Optional<MountTable.Entry> mount) throws IOException {
        return mount.isEmpty()
                ? Optional.empty()
                : Optional.of(new RunningMount(mount.get(), SystemPaths.ofThisUser()));
    }

    static RefusedException notAMount(Path mountpoint) {
        return new RefusedException(
                ExitCode.NOT_MOUNTED,
                String.format(
                        "%s is not an ssdcache mount; ssdcache status lists them.", mountpoint));
    }

    Path mountpoint() {
        return mount.mountpoint();
    }

    ControlClient connect(Deadline deadline) throws IOException, RefusedException {
        Path socket = RuntimeFiles.of(paths, mount).socket();
        try {
            return ControlClient.connect(socket, deadline);
        } catch (IOException e) {
            if (e instanceof AccessDeniedException || isDenied(e)) {
                throw new RefusedException(
                        ExitCode.PERMISSION,
                        String.format(
                                "Only root and the user who made the mount %s may do this.",
                                mountpoint()),
                        e);
            }
            throw unreachable(socket, e);
        }
    }

    private RefusedException unreachable(Path socket, IOException cause)
            throws IOException, RefusedException {
        if (!DeadMount.isAlive(mount, paths)) {
            return new RefusedException(
                    ExitCode.DEAD_MOUNT, DeadMount.sentence(mountpoint()), cause);
        }
        return new RefusedException(
                ExitCode.DAEMON_DIED,
                String.format(
                        "The daemon of %s does not listen on %s; unmount with: umount -i %s",
                        mountpoint(), socket, mountpoint()),
                cause);
    }

    /** Connecting to a socket reports a refusal of permission as plain text. */
    private static boolean isDenied(IOException e) {
        return e.getMessage() != null && e.getMessage().contains("Permission denied");
    }
}
