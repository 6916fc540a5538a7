package org.ssdcache.cli;

import java.io.IOException;
import java.io.PrintWriter;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.BackgroundMount;
import org.ssdcache.daemon.MountPlan;
import org.ssdcache.daemon.SystemPaths;

/** Mounts with a daemon in the background, and makes the mount known. */
final class MountStart {
    private final MountPlan plan;
    private final PrintWriter err;

    /**
     * The start of a mount.
     *
     * @param err gets the progress, and sentences about what is not as usual
     */
    MountStart(MountPlan plan, PrintWriter err) {
        this.plan = plan;
        this.err = err;
    }

    /** Returns once the mount answers. */
    void run() throws IOException, RefusedException {
        ProgressLine progress = new ProgressLine(err);
        try {
            new BackgroundMount(plan, progress::show).start(SsdCache.class.getName());
        } finally {
            progress.end();
        }
        // A user's umount(8) goes by the kernel's table of mounts, which has the whole type.
        if (SystemPaths.ofThisUser().isRoot() && !UmountRegistration.register(plan)) {
            err.printf(
                    "ssdcache: warning: umount(8) cannot be told of %s and may unmount it without"
                            + " a flush; \"ssdcache umount\" does flush.%n",
                    plan.mountpoint());
        }
    }
}
