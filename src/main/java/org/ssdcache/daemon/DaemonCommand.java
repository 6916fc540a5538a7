package org.ssdcache.daemon;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.ssdcache.cleaner.CleanerSettings;

/** The command line of a daemon that runs in the background. */
final class DaemonCommand {
    /**
     * The shell keeps the pipe it got as standard output as descriptor 3 for the report, and sends
     * standard output and errors to the log.
     */
    private static final String REDIRECT = "exec 3>&1 >>\"$0\" 2>&1; exec \"$@\"";

    static final int REPORT_FD = 3;

    private DaemonCommand() {}

    /**
     * Says everything the plan says, so that the daemon decides nothing anew.
     *
     * @param mainClass the program's entry, which knows the hidden command {@code daemon}
     */
    static List<String> of(MountPlan plan, String mainClass) {
        List<String> command = new ArrayList<>(List.of("setsid", "sh", "-c", REDIRECT));
        command.add(plan.logFile().toString());
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmFlags.of(plan, Runtime.version().feature()));
        command.addAll(List.of("-cp", absoluteClassPath(), mainClass, "daemon"));
        command.addAll(List.of("--mountpoint", plan.mountpoint().toString()));
        command.addAll(List.of("--backing", plan.backing().toString()));
        command.addAll(List.of("--cache", plan.cache().toString()));
        command.addAll(List.of("--size", Long.toString(plan.sizeBytes())));
        command.addAll(List.of("--block-size", Integer.toString(plan.blockBytes())));
        command.addAll(List.of("--mode", plan.mode().label()));
        command.addAll(List.of("-o", "sequential_cutoff=" + plan.sequentialCutoffBytes()));
        CleanerSettings writeback = plan.writeback();
        command.addAll(List.of("-o", "writeback_percent=" + writeback.writebackPercent()));
        command.addAll(List.of("-o", "writeback_delay=" + writeback.writebackDelaySeconds()));
        command.addAll(
                List.of(
                        "-o",
                        "writeback_running=" + (writeback.writebackRunning() ? "on" : "off")));
        command.addAll(List.of("-o", "conflict=" + plan.conflict().label()));
        command.addAll(List.of("-o", "xattr=" + (plan.extendedAttributes() ? "on" : "off")));
        command.addAll(List.of("-o", String.join(",", plan.flags().asked())));
        command.addAll(List.of("--report-fd", Integer.toString(REPORT_FD)));
        return command;
    }

    /** The daemon runs in another directory than the command. */
    private static String absoluteClassPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(element -> Path.of(element).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
