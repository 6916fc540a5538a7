package org.ssdcache.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ssdcache.control.ControlClient;
import org.ssdcache.control.Deadline;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.Discard;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ssdcache detach}. */
@Command(
        name = "detach",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Brings everything home and takes the cache away from a running mount,",
            "which goes on without it, until another one is attached.",
            "With --discard: gives up what a lost cache holds and its backing directory",
            "lacks, so that the directory can be used without that cache."
        })
final class DetachCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "MOUNTPOINT | BACKING",
            description = "Where the mount is; with --discard a directory that is not mounted.")
    private Path directory;

    @Option(names = "--discard", description = "Lists what is lost, and asks before it is.")
    private boolean discard;

    @Option(names = "--yes", description = "With --discard: do not ask.")
    private boolean yes;

    @Mixin private TimeoutOption timeout;

    @Override
    public Integer call() throws IOException, RefusedException {
        return discard ? discard() : detach();
    }

    private int detach() throws IOException, RefusedException {
        Deadline deadline = timeout.deadline();
        RunningMount mount = RunningMount.at(directory);
        try (ControlClient daemon = mount.connect(deadline);
                FlushDisplay display = new FlushDisplay(spec.commandLine().getErr())) {
            daemon.detach(display);
        }
        return ExitCode.OK.number();
    }

    private int discard() throws IOException, RefusedException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Optional<Discard> prepared = Discard.prepare(directory);
        if (prepared.isEmpty()) {
            err.printf("ssdcache: No cache holds changes that %s lacks.%n", directory);
            return ExitCode.OK.number();
        }
        try (Discard loss = prepared.get()) {
            err.println("ssdcache: " + loss.losses().source());
            loss.losses().lines().forEach(out::println);
            out.flush();
            if (!yes) {
                String question = "These changes of " + loss.backing() + " will be lost for good.";
                new Confirmation(err).require(question, "--yes");
            }
            loss.carryOut().forEach(sentence -> err.println("ssdcache: " + sentence));
        }
        return ExitCode.OK.number();
    }
}
