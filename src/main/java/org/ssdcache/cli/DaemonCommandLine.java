package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.Daemon;
import org.ssdcache.daemon.MountPlan;
import org.ssdcache.daemon.PipeReport;
import org.ssdcache.daemon.Preflight;
import org.ssdcache.daemon.SystemPaths;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The daemon behind {@code ssdcache mount}; not for people. */
@Command(name = "daemon", hidden = true, description = "Serves a mount for ssdcache mount.")
final class DaemonCommandLine implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonCommandLine.class);

    @Option(names = "--mountpoint", required = true)
    private Path mountpoint;

    @Option(names = "--backing", required = true)
    private Path backing;

    @Option(names = "--report-fd", required = true)
    private int reportFd;

    @Mixin private MountArguments arguments;

    @Override
    public Integer call() throws IOException, RefusedException {
        PipeReport report = new PipeReport(reportFd);
        try {
            SystemPaths paths = SystemPaths.ofThisUser();
            MountPlan plan =
                    new Preflight(paths, LOG::warn).check(arguments.request(backing, mountpoint));
            boolean well = Daemon.run(plan, paths, report);
            return (well ? ExitCode.OK : ExitCode.FAILURE).number();
        } catch (RefusedException e) {
            LOG.error("Not mounted: {}", e.getMessage(), e.getCause());
            report.failed(e.code(), e.getMessage());
            return e.code().number();
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.error("Failed", e);
            report.failed(ExitCode.FAILURE, "The daemon failed: " + e.getMessage() + ".");
            return ExitCode.FAILURE.number();
        }
    }
}
