package org.ssdcache.daemon;

import java.io.IOException;
import java.util.Optional;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.Clock;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.io.ThreadCapabilities;

/** How a mount begins with a backing directory that an earlier one may have left locked. */
final class LockedBacking {
    private final MountPlan plan;
    private final boolean passesModeZero;

    LockedBacking(MountPlan plan) throws IOException {
        this(plan, new ThreadCapabilities().overridePermissions());
    }

    LockedBacking(MountPlan plan, boolean passesModeZero) {
        this.plan = plan;
        this.passesModeZero = passesModeZero;
    }

    /**
     * Opens the directory. An owner who is not root gives it back the mode that the cache says it
     * had; the marker stays.
     */
    BackingDirectory open() throws IOException, RefusedException {
        if (!passesModeZero) {
            restoreMode();
        }
        return BackingDirectory.open(plan.backing());
    }

    private void restoreMode() throws IOException, RefusedException {
        int flags = OpenFlags.O_PATH | OpenFlags.O_DIRECTORY;
        int fd = Posix.open(plan.backing().toString(), flags, 0);
        try {
            if (BackingGuard.isClosed(Posix.status(fd).permissions())) {
                Posix.chmod(fd, modeFor(BackingIdentity.of(fd)));
            }
        } finally {
            Posix.close(fd);
        }
    }

    private int modeFor(BackingIdentity identity) throws IOException, RefusedException {
        Optional<CacheProperties> cache = CacheContents.examine(plan.cache());
        Optional<String> text = NativeGuardDisk.recordIn(plan.cache().resolve(CacheContents.GUARD));
        Optional<DirtyMarker> record =
                text.isEmpty() ? Optional.empty() : DirtyMarker.parse(text.get());
        boolean isOurs =
                cache.isPresent()
                        && cache.get().identity().isSameDirectory(identity)
                        && record.isPresent()
                        && record.get().backingId() == cache.get().backingId();
        if (isOurs) {
            return record.get().mode();
        }
        throw new RefusedException(
                ExitCode.PERMISSION,
                String.format(
                        "The backing directory %s is locked (mode 0), and not for the cache %s: if"
                                + " another cache, perhaps of root, holds data for it, mount it with"
                                + " that; if none does, set the mode, for example with: chmod 700"
                                + " %s",
                        plan.backing(), plan.cache(), Shell.quote(plan.backing().toString())));
    }

    /** Refuses a directory that is locked for another cache, before one is made. */
    void refuseOtherCache(BackingDirectory backing) throws IOException, RefusedException {
        Optional<Long> backingId =
                CacheContents.examine(plan.cache()).map(CacheProperties::backingId);
        try (GuardDisk disk = disk(backing)) {
            BackingGuard.refuseOtherCache(disk, backingId, plan.backing().toString());
        }
    }

    /**
     * The guard as the last mount left it.
     *
     * @param backingId of the cache
     */
    BackingGuard recover(BackingDirectory backing, long backingId)
            throws IOException, RefusedException {
        DirtyMarker own =
                new DirtyMarker(
                        plan.cache().toString(),
                        plan.backing().toString(),
                        plan.mountpoint().toString(),
                        0,
                        backingId,
                        0);
        GuardDisk disk = disk(backing);
        boolean done = false;
        try {
            BackingGuard guard = BackingGuard.recover(disk, own, passesModeZero, Clock.SYSTEM);
            done = true;
            return guard;
        } finally {
            if (!done) {
                disk.close();
            }
        }
    }

    private GuardDisk disk(BackingDirectory backing) throws IOException {
        return new NativeGuardDisk(backing.openAgain(), plan.cache().resolve(CacheContents.GUARD));
    }
}
