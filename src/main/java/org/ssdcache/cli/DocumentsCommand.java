package org.ssdcache.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.ssdcache.control.ExitCode;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes the manual pages and the shell completion, for {@code mount-helpers/install}. */
@Command(
        name = "documents",
        hidden = true,
        mixinStandardHelpOptions = true,
        description = "Writes manual pages and the completion for bash.")
final class DocumentsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "Directory to write to.")
    private Path directory;

    @Override
    public Integer call() throws IOException {
        CommandLine ssdcache = spec.parent().commandLine();
        write(ManualPage.nameOf(ssdcache) + ".8", new ManualPage(ssdcache).text());
        for (CommandLine command : ssdcache.getSubcommands().values()) {
            if (ManualPage.isForPeople(command)) {
                write(ManualPage.nameOf(command) + ".8", new ManualPage(command).text());
            }
        }
        write("ssdcache.bash", AutoComplete.bash("ssdcache", SsdCache.commandLine()));
        return ExitCode.OK.number();
    }

    private void write(String file, String text) throws IOException {
        Files.write(directory.resolve(file), text.getBytes(StandardCharsets.UTF_8));
    }
}
