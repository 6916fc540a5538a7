package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.MountPlan;
import org.ssdcache.daemon.MountRequest;
import org.ssdcache.daemon.Preflight;
import org.ssdcache.daemon.SystemPaths;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What mount(8) calls for its types {@code ssdcache} and {@code fuse.ssdcache}. */
@Command(
        name = MountHelperCommand.NAME,
        hidden = true,
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Mounts a directory through a cache, for mount(8) and lines of fstab.",
            "BACKING is seen at MOUNTPOINT; the same directory twice mounts in place."
        })
final class MountHelperCommand implements Callable<Integer> {
    static final String NAME = "mount.ssdcache";

    @Spec private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "BACKING", description = "Directory on the slow disk.")
    private Path backing;

    @Parameters(
            index = "1",
            paramLabel = "MOUNTPOINT",
            description = "Directory through which its files are to be used.")
    private Path mountpoint;

    @Option(
            names = "-o",
            paramLabel = "OPTIONS",
            description = "Settings and flags with commas between them, as in fstab.")
    private List<String> options = new ArrayList<>();

    @Option(names = "-f", description = "Check everything, and mount nothing.")
    private boolean fake;

    @Option(names = "-s", description = "Warn of unknown options instead of refusing them.")
    private boolean sloppy;

    @Option(names = "-v", description = "Say what is done.")
    private boolean verbose;

    @Option(names = "-r", description = "The same as -o ro.")
    private boolean readOnly;

    @Option(
            names = {"-n", "-w"},
            description = "Accepted, and of no meaning: there is no mtab.")
    private boolean[] ignored;

    @Option(names = "-t", paramLabel = "TYPE", description = "Accepted, and of no meaning.")
    private String unusedType;

    @Option(names = "-N", paramLabel = "NAMESPACE", description = "Refused: use nsenter(1).")
    private String namespace;

    @Override
    public Integer call() throws IOException, RefusedException {
        ForeignNamespace.refuse(namespace);
        FstabOptions parsed =
                FstabOptions.parse(options, sloppy ? this::warn : FstabOptions.Unknown.REFUSED);
        if (parsed.remount()) {
            remount(parsed);
        } else {
            mount(parsed);
        }
        return ExitCode.OK.number();
    }

    private void mount(FstabOptions parsed) throws IOException, RefusedException {
        List<String> flags = flags(parsed);
        // mount(8) says so whenever nobody asked for anything.
        flags.removeIf("rw"::equals);
        MountPlan plan =
                new Preflight(SystemPaths.ofThisUser(), this::warn).check(request(parsed, flags));
        if (!fake) {
            new MountStart(plan, spec.commandLine().getErr()).run();
        }
        sayIfVerbose(
                String.format(
                        "%s %s on %s, mode %s, cache %s.",
                        plan.backing(),
                        fake ? "can be mounted" : "mounted",
                        plan.mountpoint(),
                        plan.mode().label(),
                        plan.cache()));
    }

    private void remount(FstabOptions parsed) throws IOException, RefusedException {
        List<String> flags = flags(parsed);
        Remount remount = new Remount(RunningMount.at(mountpoint), request(parsed, flags));
        remount.check();
        if (!fake) {
            remount.apply(parsed.settings());
        }
        sayIfVerbose(String.format("%s %s.", mountpoint, fake ? "can be remounted" : "remounted"));
    }

    private List<String> flags(FstabOptions parsed) {
        List<String> flags = new ArrayList<>(parsed.flags());
        if (readOnly) {
            flags.add("ro");
        }
        return flags;
    }

    private MountRequest request(FstabOptions parsed, List<String> flags) throws RefusedException {
        return MountArguments.requestOf(backing, mountpoint, parsed.settings(), flags);
    }

    private void warn(String sentence) {
        spec.commandLine().getErr().println("ssdcache: warning: " + sentence);
    }

    private void sayIfVerbose(String sentence) {
        if (verbose) {
            spec.commandLine().getOut().println("ssdcache: " + sentence);
            spec.commandLine().getOut().flush();
        }
    }
}
