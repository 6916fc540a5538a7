package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ssdcache.control.Deadline;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/**
 * Brings what programs have changed in memory maps from the kernel to the daemon. Done by the
 * command, because a daemon must not use its own mount; with the system's {@code sync}, because a
 * process of its own can be given up when the mount does not answer.
 */
final class MountSync {
    private MountSync() {}

    static void all(Path mountpoint, Deadline deadline) throws IOException, RefusedException {
        run(List.of("sync", "-f", "--", mountpoint.toString()), deadline);
    }

    static void files(List<Path> files, Deadline deadline) throws IOException, RefusedException {
        List<String> command = new ArrayList<>(List.of("sync", "--"));
        files.forEach(file -> command.add(file.toString()));
        run(command, deadline);
    }

    private static void run(List<String> command, Deadline deadline)
            throws IOException, RefusedException {
        Process sync =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            if (!sync.waitFor(deadline.remaining().toMillis(), TimeUnit.MILLISECONDS)) {
                sync.destroyForcibly();
                throw new RefusedException(
                        ExitCode.TIMEOUT, "The mount has not taken all changes in time.");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
        if (sync.exitValue() != 0) {
            throw new RefusedException(
                    ExitCode.FAILURE, "Not everything could be made durable; see above.");
        }
    }
}
