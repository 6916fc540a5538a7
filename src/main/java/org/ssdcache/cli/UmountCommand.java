package org.ssdcache.cli;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ssdcache umount}. */
@Command(
        name = "umount",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Unmounts, after a flush.",
            "Returns when the daemon has ended.",
            "A mount that is in use stays mounted; a dead one is removed."
        })
final class UmountCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "MOUNTPOINT", description = "Where the mount is.")
    private Path mountpoint;

    @Option(
            names = "--no-flush",
            description = "Leave what is dirty in the cache; the next mount takes it up.")
    private boolean noFlush;

    @Mixin private TimeoutOption timeout;

    @Override
    public Integer call() throws IOException, RefusedException {
        Deadline deadline = timeout.deadline();
        RunningMount mount = RunningMount.at(mountpoint);
        if (!DeadMount.isAlive(mount.mount(), mount.paths())) {
            DeadMount.detach(mount.mount(), mount.paths());
            spec.commandLine()
                    .getErr()
                    .printf(
                            "ssdcache: The daemon of %s had died; its mount is removed.%n",
                            mountpoint);
            return ExitCode.OK.number();
        }
        Optional<ProcessHandle> process = unmount(mount, deadline);
        if (process.isPresent()) {
            awaitEnd(process.get(), deadline);
        }
        return ExitCode.OK.number();
    }

    /** Returns the daemon's process, which ends when it has no connection left to serve. */
    private Optional<ProcessHandle> unmount(RunningMount mount, Deadline deadline)
            throws IOException, RefusedException {
        try (ControlClient daemon = mount.connect(deadline)) {
            JsonObject status = daemon.status();
            Optional<ProcessHandle> process = ProcessHandle.of(status.get("pid").getAsLong());
            if (!noFlush) {
                MountSync.all(mount.mountpoint(), deadline);
            }
            sayWhatIsLeft(unmount(daemon), status.get("cache").getAsString());
            return process;
        }
    }

    private DirtyLeft unmount(ControlClient daemon) throws IOException, RefusedException {
        try (FlushDisplay display = new FlushDisplay(spec.commandLine().getErr())) {
            return daemon.unmount(!noFlush, display);
        }
    }

    private void sayWhatIsLeft(DirtyLeft left, String cache) {
        if (left.blocks() > 0) {
            spec.commandLine()
                    .getErr()
                    .printf(
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
