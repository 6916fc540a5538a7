package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.ssdcache.control.ControlClient;
import org.ssdcache.control.Deadline;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ssdcache flush}. */
@Command(
        name = "flush",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Makes the backing directory complete.",
            "Returns when the backing directory alone holds, durably,",
            "what the mount, or the named files in it, hold now.",
            "Interrupted, it leaves clean what is clean; call it again to go on."
        })
final class FlushCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "MOUNTPOINT", description = "Where the mount is.")
    private Path mountpoint;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "PATH",
            description = "Files or directories in it. Default: everything.")
    private List<Path> paths = new ArrayList<>();

    @Mixin private TimeoutOption timeout;

    @Override
    public Integer call() throws IOException, RefusedException {
        Deadline deadline = timeout.deadline();
        RunningMount mount = RunningMount.at(mountpoint);
        List<Path> files = new ArrayList<>();
        List<String> relative = new ArrayList<>();
        for (Path path : paths) {
            Path file = find(path, mount.mountpoint());
            files.add(file);
            relative.add(mount.mountpoint().relativize(file).toString());
        }
        try (ControlClient daemon = mount.connect(deadline);
                FlushDisplay display = new FlushDisplay(spec.commandLine().getErr())) {
            if (files.isEmpty() || files.stream().anyMatch(Files::isDirectory)) {
                MountSync.all(mount.mountpoint(), deadline);
            } else {
                MountSync.files(files, deadline);
            }
            daemon.flush(relative, display);
        }
        return ExitCode.OK.number();
    }

    /** A path is meant as seen from the working directory or, failing that, from the mount. */
    private static Path find(Path path, Path mountpoint) throws IOException, RefusedException {
        Path fromHere = path.toAbsolutePath();
        Path candidate = Files.exists(fromHere) ? fromHere : mountpoint.resolve(path);
        if (!Files.exists(candidate)) {
            throw new RefusedException(
                    ExitCode.NO_SUCH_PATH, String.format("%s does not exist.", path));
        }
        Path real = candidate.toRealPath();
        if (!real.startsWith(mountpoint)) {
            throw new RefusedException(
                    ExitCode.NO_SUCH_PATH,
                    String.format("%s does not lie in the mount %s.", path, mountpoint));
        }
        return real;
    }
}
