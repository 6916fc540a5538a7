package org.ssdcache.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.ssdcache.control.Deadline;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.DeadMount;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.mount.MountFlags;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * What umount(8) calls for its types {@code ssdcache} and {@code fuse.ssdcache}, also at shutdown:
 * so the flush before it has a time limit, after which the rest stays in the cache.
 */
@Command(
        name = UmountHelperCommand.NAME,
        hidden = true,
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Unmounts, for umount(8), after a flush of at most 60 seconds.",
            "What is not home by then stays in the cache, and the next mount takes it up."
        })
final class UmountHelperCommand implements Callable<Integer> {
    static final String NAME = "umount.ssdcache";

    /** systemd gives a mount unit 90 seconds. */
    private static final Duration FLUSH_TIME = Duration.ofSeconds(60);

    private static final Duration END_TIME = Duration.ofSeconds(60);

    @Spec private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "MOUNTPOINT", description = "Where the mount is.")
    private Path mountpoint;

    @Option(names = "-l", description = "Detach now; the mount ends when nobody uses it any more.")
    private boolean lazy;

    @Option(names = "-f", description = "Do not flush: leave what is dirty in the cache.")
    private boolean force;

    @Option(names = "-r", description = "When the mount is in use, make it read-only.")
    private boolean readOnly;

    @Option(
            names = {"-n", "-v"},
            description = "Accepted, and of no meaning.")
    private boolean[] ignored;

    @Option(names = "-t", paramLabel = "TYPE", description = "Accepted, and of no meaning.")
    private String unusedType;

    @Option(names = "-N", paramLabel = "NAMESPACE", description = "Refused: use nsenter(1).")
    private String namespace;

    @Override
    public Integer call() throws IOException, RefusedException {
        ForeignNamespace.refuse(namespace);
        if (lazy) {
            RunningMount mount = RunningMount.at(mountpoint);
            DeadMount.detachLazily(mount.mountpoint(), mount.paths());
            return ExitCode.OK.number();
        }
        try {
            unmount();
        } catch (RefusedException e) {
            throw e.code() == ExitCode.MOUNTPOINT_BUSY && readOnly ? madeReadOnly(e) : e;
        }
        return ExitCode.OK.number();
    }

    private void unmount() throws IOException, RefusedException {
        PrintWriter err = spec.commandLine().getErr();
        MountEnd end = new MountEnd(mountpoint, err);
        try {
            if (!force && flushAndEnd(end, err)) {
                return;
            }
            end.run(false, Deadline.in(END_TIME));
        } catch (RefusedException e) {
            if (e.code() != ExitCode.DAEMON_DIED) {
                throw e;
            }
            err.println("ssdcache: " + e.getMessage());
            end.withoutDaemon();
        }
    }

    /** Returns false when the flush was in vain and the mount is still there. */
    private boolean flushAndEnd(MountEnd end, PrintWriter err)
            throws IOException, RefusedException {
        try {
            end.run(true, Deadline.in(FLUSH_TIME));
            return true;
        } catch (RefusedException e) {
            if (!mayGoWithoutFlush(e.code())) {
                throw e;
            }
            err.println("ssdcache: " + e.getMessage());
            return RunningMount.find(mountpoint).isEmpty();
        }
    }

    private static boolean mayGoWithoutFlush(ExitCode code) {
        return code == ExitCode.TIMEOUT || code == ExitCode.FAILURE;
    }

    /**
     * Still a failure: umount(8) takes a mount for gone, and forgets to call this program for it,
     * when its helper returns 0.
     */
    private RefusedException madeReadOnly(RefusedException busy)
            throws IOException, RefusedException {
        RunningMount mount = RunningMount.at(mountpoint);
        try {
            new MountFlags(List.of("ro")).remount(mount.mountpoint(), mount.mount().options());
        } catch (ErrnoException e) {
            busy.addSuppressed(e);
            return busy;
        }
        return new RefusedException(
                ExitCode.MOUNTPOINT_BUSY,
                String.format("%s is in use and stays; it is read-only now.", mount.mountpoint()),
                busy);
    }
}
