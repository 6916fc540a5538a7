package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
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

    @Option(
            names = "--dead",
            description = "Only remove a mount whose daemon has died; else do nothing.")
    private boolean dead;

    @Mixin private TimeoutOption timeout;

    @Override
    public Integer call() throws IOException, RefusedException {
        MountEnd end = new MountEnd(mountpoint, spec.commandLine().getErr());
        if (dead) {
            end.removeIfDead();
        } else {
            end.run(!noFlush, timeout.deadline());
        }
        return ExitCode.OK.number();
    }
}
