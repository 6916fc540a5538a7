package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ssdcache.control.ControlClient;
import org.ssdcache.control.Deadline;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code ssdcache set}. */
@Command(
        name = "set",
        mixinStandardHelpOptions = true,
        description = {
            "Changes settings of a running mount, until it is unmounted.",
            "Keys: mode (writethrough, writeback, writearound, none),",
            "sequential_cutoff (size; 0 = never bypass),",
            "writeback_percent (0 to 40), writeback_delay (duration or 0),",
            "writeback_running (on or off)."
        })
final class SetCommand implements Callable<Integer> {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Parameters(index = "0", paramLabel = "MOUNTPOINT", description = "Where the mount is.")
    private Path mountpoint;

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "KEY=VALUE",
            description = "All are set or, when one is wrong, none.")
    private List<String> settings;

    @Override
    public Integer call() throws IOException, RefusedException {
        Map<String, String> values = KeyValues.parse(settings);
        try (ControlClient daemon = RunningMount.at(mountpoint).connect(Deadline.in(TIMEOUT))) {
            daemon.set(values);
        }
        return ExitCode.OK.number();
    }
}
