package org.ssdcache.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.CacheCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ssdcache check}. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Checks a cache that is not in use.",
            "Changes nothing, unless it is told to repair; the exit code is the verdict."
        })
final class CheckCommand implements Callable<Integer> {
    private static final Gson PRETTY =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "CACHE", description = "Directory of the cache.")
    private Path cache;

    @Option(names = "--repair", description = "Mend what costs no change.")
    private boolean repair;

    @Option(
            names = "--data",
            description = "Also read all blocks that the backing directory has; takes longer.")
    private boolean data;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException, RefusedException {
        ProgressLine progress = new ProgressLine(spec.commandLine().getErr());
        CacheCheck.Report report;
        try {
            report =
                    new CacheCheck(cache, data, slots -> progress.show("checked slot " + slots))
                            .run(repair);
        } finally {
            progress.end();
        }
        PrintWriter out = spec.commandLine().getOut();
        out.print(
                json
                        ? PRETTY.toJson(CheckFormat.json(cache, report, repair)) + "\n"
                        : CheckFormat.text(cache, report, repair));
        out.flush();
        return code(report).number();
    }

    /** After a repair that left nothing all is well again. */
    private ExitCode code(CacheCheck.Report report) {
        boolean mended =
                repair
                        && report.verdict() == CacheCheck.Verdict.REPAIRABLE
                        && report.isRepairable();
        return mended ? ExitCode.OK : report.verdict().code();
    }
}
