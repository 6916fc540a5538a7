package org.ssdcache.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.ssdcache.control.ControlClient;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.AttachRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ssdcache attach}. */
@Command(
        name = "attach",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Takes a cache into use for a running mount that has none.",
            "The cache is made when it does not exist."
        })
final class AttachCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "MOUNTPOINT", description = "Where the mount is.")
    private Path mountpoint;

    @Option(
            names = {"-c", "--cache"},
            required = true,
            paramLabel = "DIR",
            description = "SSD directory that holds the cache.")
    private Path cache;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "SIZE",
            description = "Size of a new cache. Default: a tenth of the free space there.")
    private String size;

    @Option(
            names = {"-b", "--block-size"},
            paramLabel = "SIZE",
            description = "Block size of a new cache, 8K to 128K. Default: 16K.")
    private String blockSize;

    @Option(
            names = {"-m", "--mode"},
            paramLabel = "MODE",
            description = "Default: as before the mount's cache was detached.")
    private String mode;

    @Mixin private TimeoutOption timeout;

    @Override
    public Integer call() throws IOException, RefusedException {
        RunningMount mount = RunningMount.at(mountpoint);
        Map<String, String> values = new LinkedHashMap<>();
        values.put("cache", cache.toString());
        putIfGiven(values, "size", size);
        putIfGiven(values, "block_size", blockSize);
        putIfGiven(values, "mode", mode);
        try (ControlClient daemon = mount.connect(timeout.deadline())) {
            daemon.attach(new AttachRequest(values).checkedFor(mount.mount(), this::warn).values());
        }
        return ExitCode.OK.number();
    }

    private void warn(String sentence) {
        spec.commandLine().getErr().println("ssdcache: warning: " + sentence);
    }

    private static void putIfGiven(Map<String, String> values, String key, String value) {
        if (value != null) {
            values.put(key, value);
        }
    }
}
