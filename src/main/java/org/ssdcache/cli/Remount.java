package org.ssdcache.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ssdcache.control.ControlClient;
import org.ssdcache.control.Deadline;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.CacheInUse;
import org.ssdcache.daemon.MountRequest;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/**
 * {@code mount -o remount}: changes what of a mount can be changed. The whole line of fstab comes
 * with it, so a setting that cannot be changed may be there, but must be as it is.
 */
final class Remount {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RunningMount mount;
    private final MountRequest request;

    Remount(RunningMount mount, MountRequest request) {
        this.mount = mount;
        this.request = request;
    }

    /** Refuses what a remount cannot do. Changes nothing. */
    void check() throws IOException, RefusedException {
        try (ControlClient daemon = mount.connect(Deadline.in(TIMEOUT))) {
            CacheInUse.refuseOther(request, daemon.status().get("cache").getAsString());
        }
    }

    /** Changes flags, and those settings that a running mount has. */
    void apply(Map<String, String> settings) throws IOException, RefusedException {
        changeFlags();
        Map<String, String> live = new LinkedHashMap<>(settings);
        live.keySet().removeIf(key -> !Setting.of(key).map(Setting::isLive).orElse(false));
        if (!live.isEmpty()) {
            try (ControlClient daemon = mount.connect(Deadline.in(TIMEOUT))) {
                daemon.set(live);
            }
        }
    }

    private void changeFlags() throws RefusedException {
        List<String> present = mount.mount().options();
        if (!request.flags().change(present)) {
            return;
        }
        try {
            request.flags().remount(mount.mountpoint(), present);
        } catch (ErrnoException e) {
            throw refused(e);
        }
    }

    private RefusedException refused(ErrnoException e) {
        return switch (e.errno()) {
            case Errno.EBUSY ->
                    new RefusedException(
                            ExitCode.MOUNTPOINT_BUSY,
                            String.format(
                                    "%s cannot become read-only while files are open for writing;"
                                            + " \"fuser -vm %s\" shows whose.",
                                    mount.mountpoint(), mount.mountpoint()),
                            e);
            case Errno.EPERM ->
                    new RefusedException(
                            ExitCode.PERMISSION,
                            String.format(
                                    "Only root can change the flags of %s.", mount.mountpoint()),
                            e);
            default ->
                    new RefusedException(
                            ExitCode.FAILURE,
                            String.format(
                                    "The flags of %s cannot be changed: %s.",
                                    mount.mountpoint(), e.getMessage()),
                            e);
        };
    }
}
