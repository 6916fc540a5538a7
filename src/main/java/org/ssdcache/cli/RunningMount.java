package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
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
        Path real = DeadMount.resolve(mountpoint);
        MountTable.Entry mount =
                MountTable.read()
                        .topAt(real)
                        .filter(MountTable.Entry::isOurs)
                        .orElseThrow(() -> notAMount(mountpoint));
        return new RunningMount(mount, SystemPaths.ofThisUser());
    }

    private static RefusedException notAMount(Path mountpoint) {
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
                        "The daemon of %s does not listen on %s; unmount with: umount %s",
                        mountpoint(), socket, mountpoint()),
                cause);
    }

    /** Connecting to a socket reports a refusal of permission as plain text. */
    private static boolean isDenied(IOException e) {
        return e.getMessage() != null && e.getMessage().contains("Permission denied");
    }
}
