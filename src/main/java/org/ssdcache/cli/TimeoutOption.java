package org.ssdcache.cli;

import java.time.Duration;
import org.ssdcache.control.Deadline;
import picocli.CommandLine.Option;

/** {@code --timeout}, of commands that may have to wait for long. */
final class TimeoutOption {
    private static final Duration NONE = Duration.ofDays(3650);

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Give up waiting after this time (30s, 5m). Default: wait on.")
    private Duration timeout = NONE;

    /** When the command, which begins now, must have ended. */
    Deadline deadline() {
        return Deadline.in(timeout);
    }
}
