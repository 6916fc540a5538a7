package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.Daemon;
import org.ssdcache.daemon.MountPlan;
import org.ssdcache.daemon.Preflight;
import org.ssdcache.daemon.ServiceManagerReport;
import org.ssdcache.daemon.StartupReport;
import org.ssdcache.daemon.SystemPaths;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ssdcache mount}. */
@Command(
        name = "mount",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Mounts a directory through a cache.",
            "BACKING is seen at MOUNTPOINT; without it in place, over BACKING itself.",
            "Returns once the mount answers; its daemon goes on in the background."
        })
final class MountCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "BACKING", description = "Directory on the slow disk.")
    private Path backing;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "MOUNTPOINT",
            description = "Directory through which its files are to be used.")
    private Optional<Path> mountpoint = Optional.empty();

    @Mixin private MountArguments arguments;

    @Option(
            names = "--foreground",
            description = "Serve the mount in this process, log to standard error.")
    private boolean foreground;

    @Override
    public Integer call() throws IOException, RefusedException {
        SystemPaths paths = SystemPaths.ofThisUser();
        MountPlan plan =
                new Preflight(paths, this::warn)
                        .check(arguments.request(backing, mountpoint.orElse(backing)));
        if (foreground) {
            // Read when the first native function is bound; a daemon gets it on its command line.
            System.setProperty("jffi.extract.dir", plan.temporaryDirectory().toString());
            StartupReport report =
                    ServiceManagerReport.of(
                            System.getenv(), new ForegroundReport(spec.commandLine()));
            boolean well = Daemon.run(plan, paths, report);
            return (well ? ExitCode.OK : ExitCode.FAILURE).number();
        }
        new MountStart(plan, spec.commandLine().getErr()).run();
        return ExitCode.OK.number();
    }

    private void warn(String sentence) {
        spec.commandLine().getErr().println("ssdcache: warning: " + sentence);
    }
}
