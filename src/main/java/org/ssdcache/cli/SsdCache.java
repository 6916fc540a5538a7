package org.ssdcache.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Set;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program's entry: finds the command and turns every failure into a sentence and a code. */
@Command(
        name = "ssdcache",
        mixinStandardHelpOptions = true,
        versionProvider = SsdCache.Version.class,
        description = "Serves a directory on a slow disk through a block cache on an SSD.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            MountCommand.class,
            UmountCommand.class,
            FlushCommand.class,
            StatusCommand.class,
            SetCommand.class,
            AttachCommand.class,
            DetachCommand.class,
            CheckCommand.class,
            DaemonCommandLine.class,
            MountHelperCommand.class,
            UmountHelperCommand.class,
            DocumentsCommand.class
        })
public final class SsdCache implements Runnable {
    private static final Set<String> MOUNT_HELPERS =
            Set.of(MountHelperCommand.NAME, UmountHelperCommand.NAME);

    @Spec private CommandSpec spec;

    /** The version from the jar's manifest. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = SsdCache.class.getPackage().getImplementationVersion();
            return new String[] {"ssdcache " + (version == null ? "(not packaged)" : version)};
        }
    }

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new SsdCache())
                .setExpandAtFiles(false) // a path may begin with @
                .registerConverter(Path.class, new PathConverter())
                .setParameterExceptionHandler(SsdCache::explainUsage)
                .setExecutionExceptionHandler(SsdCache::explainFailure);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "A command is missing.");
    }

    private static int explainUsage(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("ssdcache: " + usageSentence(e));
        err.println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return number(ExitCode.USAGE, command);
    }

    private static String usageSentence(ParameterException e) {
        CommandLine command = e.getCommandLine();
        if (command.getParent() == null
                && e instanceof CommandLine.UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            return String.format(
                    "\"%s\" is no command; there are %s.",
                    unmatched.getUnmatched().get(0),
                    String.join(
                            ", ",
                            command.getSubcommands().entrySet().stream()
                                    .filter(
                                            each ->
                                                    !each.getValue()
                                                            .getCommandSpec()
                                                            .usageMessage()
                                                            .hidden())
                                    .map(java.util.Map.Entry::getKey)
                                    .toList()));
        }
        return e.getMessage();
    }

    private static int explainFailure(
            Exception e, CommandLine command, CommandLine.ParseResult parsed) {
        command.getErr().println("ssdcache: " + sentence(e));
        return number(code(e), command);
    }

    /** The codes of this program are its own; those of the helpers of mount(8) are mount(8)'s. */
    private static int number(ExitCode code, CommandLine command) {
        boolean helper = MOUNT_HELPERS.contains(command.getCommandName());
        return helper ? MountExitCode.of(code).number() : code.number();
    }

    private static ExitCode code(Exception e) {
        if (e instanceof RefusedException refused) {
            return refused.code();
        }
        return e instanceof java.nio.file.AccessDeniedException
                ? ExitCode.PERMISSION
                : ExitCode.FAILURE;
    }

    private static String sentence(Exception e) {
        if (e instanceof RefusedException) {
            return e.getMessage();
        }
        if (e instanceof java.nio.file.AccessDeniedException) {
            return "You may not use " + e.getMessage() + "; try as root.";
        }
        return e instanceof IOException ? e.getMessage() + "." : "It failed unexpectedly: " + e;
    }
}
