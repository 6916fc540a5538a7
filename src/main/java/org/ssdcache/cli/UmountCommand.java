package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.ssdcache.control.ControlClient;
import org.ssdcache.control.Deadline;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.DeadMount;
import picocli.CommandLine.Command;
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

    @Option(names = "--no-flush", description = "Do not make the backing directory durable before.")
    private boolean noFlush;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Give up waiting after this time (30s, 5m). Default: wait on.")
    private Duration timeout = RunningMount.NO_TIMEOUT;

    @Override
    public Integer call() throws IOException, RefusedException {
        Deadline deadline = Deadline.in(timeout);
        RunningMount mount = RunningMount.at(mountpoint);
        if (!DeadMount.isAlive(mount.mount(), mount.paths())) {
            DeadMount.detach(mount.mountpoint(), mount.paths());
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
            long pid = daemon.status().get("pid").getAsLong();
            Optional<ProcessHandle> process = ProcessHandle.of(pid);
            if (!noFlush) {
                MountSync.all(mount.mountpoint(), deadline);
            }
            daemon.unmount(!noFlush);
            return process;
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
