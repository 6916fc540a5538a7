package org.ssdcache.cli;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.ssdcache.control.ControlClient;
import org.ssdcache.control.Deadline;
import org.ssdcache.control.DirtyLeft;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.ByteSize;
import org.ssdcache.daemon.DeadMount;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.Posix;

/** Unmounts and waits for the daemon's end; a dead mount is removed. */
final class MountEnd {
    private final Path mountpoint;
    private final PrintWriter err;

    /**
     * The end of the mount at a mountpoint.
     *
     * @param err gets sentences about what is not as usual
     */
    MountEnd(Path mountpoint, PrintWriter err) {
        this.mountpoint = mountpoint;
        this.err = err;
    }

    /**
     * Unmounts, unless the mount is in use.
     *
     * @param flush whether what is dirty goes home before; else it stays in the cache
     */
    void run(boolean flush, Deadline deadline) throws IOException, RefusedException {
        RunningMount mount = RunningMount.at(mountpoint);
        if (removeIfDead(mount)) {
            return;
        }
        Optional<ProcessHandle> process = unmount(mount, flush, deadline);
        if (process.isPresent()) {
            awaitEnd(process.get(), deadline);
        }
    }

    /** Asks the kernel, for a daemon that cannot be reached; it ends when it notices. */
    void withoutDaemon() throws IOException, RefusedException {
        Path real = RunningMount.at(mountpoint).mountpoint();
        try {
            Posix.umount(real.toString());
        } catch (ErrnoException e) {
            throw new RefusedException(
                    e.errno() == Errno.EBUSY ? ExitCode.MOUNTPOINT_BUSY : ExitCode.FAILURE,
                    String.format("%s cannot be unmounted: %s.", real, e.getMessage()),
                    e);
        }
    }

    /** Leaves a mount that lives alone, and is content with none. */
    void removeIfDead() throws IOException, RefusedException {
        Optional<RunningMount> mount = RunningMount.find(mountpoint);
        if (mount.isPresent()) {
            removeIfDead(mount.get());
        }
    }

    private boolean removeIfDead(RunningMount mount) throws IOException, RefusedException {
        if (DeadMount.isAlive(mount.mount(), mount.paths())) {
            return false;
        }
        DeadMount.detach(mount.mount(), mount.paths());
        err.printf("ssdcache: The daemon of %s had died; its mount is removed.%n", mountpoint);
        return true;
    }

    /** Returns the daemon's process, which ends when it has no connection left to serve. */
    private Optional<ProcessHandle> unmount(RunningMount mount, boolean flush, Deadline deadline)
            throws IOException, RefusedException {
        try (ControlClient daemon = mount.connect(deadline)) {
            JsonObject status = daemon.status();
            Optional<ProcessHandle> process = ProcessHandle.of(status.get("pid").getAsLong());
            if (flush) {
                MountSync.all(mount.mountpoint(), deadline);
            }
            sayWhatIsLeft(unmount(daemon, flush), status.get("cache").getAsString());
            return process;
        }
    }

    private DirtyLeft unmount(ControlClient daemon, boolean flush)
            throws IOException, RefusedException {
        try (FlushDisplay display = new FlushDisplay(err)) {
            return daemon.unmount(flush, display);
        }
    }

    private void sayWhatIsLeft(DirtyLeft left, String cache) {
        if (left.blocks() > 0) {
            err.printf(
                    "ssdcache: %d dirty blocks (%s) stay in the cache %s; the next mount"
                            + " takes them up.%n",
                    left.blocks(), ByteSize.format(left.bytes()), cache);
        }
    }

    private static void awaitEnd(ProcessHandle process, Deadline deadline) throws RefusedException {
        try {
            process.onExit().get(deadline.remaining().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new RefusedException(
                    ExitCode.TIMEOUT,
                    "It is unmounted, but its daemon, process " + process.pid() + ", still runs.",
                    e);
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("waiting for a process cannot fail", e);
        }
    }
}
