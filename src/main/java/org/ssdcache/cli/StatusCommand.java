package org.ssdcache.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.ssdcache.control.ControlClient;
import org.ssdcache.control.Deadline;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.DeadMount;
import org.ssdcache.daemon.DirtyMarker;
import org.ssdcache.daemon.SystemPaths;
import org.ssdcache.mount.MountTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ssdcache status}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = {
            "Shows one mount, or all mounts of this machine.",
            "Of a directory that is not mounted it says whether a cache holds changes of it."
        })
final class StatusCommand implements Callable<Integer> {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Gson PRETTY =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    @Spec private CommandSpec spec;

    @Option(names = "--json", description = "One JSON object; for all mounts {\"mounts\": [...]}.")
    private boolean json;

    @Parameters(
            arity = "0..1",
            paramLabel = "MOUNTPOINT",
            description = "Where the mount is, or its backing directory. Default: all mounts.")
    private Optional<Path> mountpoint = Optional.empty();

    @Override
    public Integer call() throws IOException, RefusedException {
        PrintWriter out = spec.commandLine().getOut();
        ExitCode code = mountpoint.isPresent() ? showOne(mountpoint.get(), out) : showAll(out);
        out.flush();
        return code.number();
    }

    private ExitCode showOne(Path path, PrintWriter out) throws IOException, RefusedException {
        Optional<RunningMount> mount = RunningMount.find(path);
        if (mount.isEmpty()) {
            mount = RunningMount.findByBacking(path);
        }
        if (mount.isEmpty()) {
            return showUnmounted(path, out);
        }
        JsonObject status = ask(mount.get());
        out.print(json ? PRETTY.toJson(status) + "\n" : StatusTable.format(status));
        return ExitCode.OK;
    }

    /** A directory that is no mount may be a backing directory that waits for its changes. */
    private ExitCode showUnmounted(Path path, PrintWriter out)
            throws IOException, RefusedException {
        Path backing = DeadMount.resolve(path);
        DirtyMarker marker =
                DirtyMarker.in(backing).orElseThrow(() -> RunningMount.notAMount(path));
        if (json) {
            out.println(PRETTY.toJson(UnmountedStatus.format(marker)));
        } else {
            out.println(marker.sentence());
        }
        return ExitCode.DIRTY;
    }

    /** One mount that does not answer does not hide the others. */
    private ExitCode showAll(PrintWriter out) throws IOException {
        SystemPaths paths = SystemPaths.ofThisUser();
        ExitCode result = ExitCode.OK;
        List<JsonObject> statuses = new ArrayList<>();
        for (MountTable.Entry mount : MountTable.read().ours()) {
            try {
                statuses.add(ask(new RunningMount(mount, paths)));
            } catch (RefusedException e) {
                spec.commandLine().getErr().println("ssdcache: " + e.getMessage());
                result = e.code();
            }
        }
        if (json) {
            JsonArray mounts = new JsonArray();
            statuses.forEach(mounts::add);
            JsonObject all = new JsonObject();
            all.add("mounts", mounts);
            out.println(PRETTY.toJson(all));
        } else if (statuses.isEmpty() && result == ExitCode.OK) {
            out.println("Nothing is mounted.");
        } else {
            statuses.forEach(status -> out.println(StatusTable.format(status)));
        }
        return result;
    }

    private static JsonObject ask(RunningMount mount) throws IOException, RefusedException {
        try (ControlClient daemon = mount.connect(Deadline.in(TIMEOUT))) {
            return daemon.status();
        }
    }
}
