package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

/**
 * Backing directories that lie in each other: two daemons would cache the same files, each unaware
 * of what the other writes (invariant I11). The lock of a backing directory keeps a second daemon
 * only from that very directory.
 */
final class NestedBackings {
    private final List<MountTable.Entry> mounts;
    private final Liveness liveness;

    /** Whether a daemon serves a mount of ours. */
    @FunctionalInterface
    interface Liveness {
        boolean test(MountTable.Entry mount) throws IOException, RefusedException;
    }

    NestedBackings(List<MountTable.Entry> mounts, Liveness liveness) {
        this.mounts = List.copyOf(mounts);
        this.liveness = liveness;
    }

    /** Refuses a directory that lies inside or around the backing directory of a living daemon. */
    void refuse(Path backing) throws IOException, RefusedException {
        for (MountTable.Entry mount : mounts) {
            Path other = Path.of(mount.source());
            if (!mount.isOurs() || !other.isAbsolute()) {
                continue;
            }
            if (isInside(backing, mount) && liveness.test(mount)) {
                throw refusal(backing, "lies inside", mount);
            }
            if (isBelow(other, backing) && liveness.test(mount)) {
                throw refusal(backing, "contains", mount);
            }
        }
    }

    /** A mount in place covers its backing directory, so that only the name can be compared. */
    private static boolean isInside(Path backing, MountTable.Entry mount) {
        Path other = Path.of(mount.source());
        return mount.mountpoint().equals(other)
                ? backing.startsWith(other) && !backing.equals(other)
                : isBelow(backing, other);
    }

    /**
     * By name, and by device and inode of the parents for the sake of bind mounts; the path itself
     * is not looked at, because a mount in place may cover it.
     */
    private static boolean isBelow(Path path, Path directory) {
        Path parent = path.getParent();
        if (parent == null || path.equals(directory)) {
            return false;
        }
        try {
            return path.startsWith(directory) || Directories.isInside(parent, directory);
        } catch (IOException e) {
            return false; // a directory that cannot be looked at; its name says that it is not
        }
    }

    private static RefusedException refusal(Path backing, String how, MountTable.Entry mount) {
        return new RefusedException(
                ExitCode.BACKING_BUSY,
                String.format(
                        "The backing directory %s %s %s, which the daemon of %s uses; unmount that"
                                + " first.",
                        backing, how, mount.source(), mount.mountpoint()));
    }
}
