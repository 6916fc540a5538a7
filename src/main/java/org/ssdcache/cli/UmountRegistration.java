package org.ssdcache.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ssdcache.daemon.MountPlan;

/**
 * Tells umount(8) of a mount. Without it, umount(8) of root asks the kernel for the filesystem's
 * type, learns "fuse" and not which one, and unmounts past umount.ssdcache, without a flush. The
 * table that it reads first is written by mount(8), which is asked to do only that.
 */
final class UmountRegistration {
    private static final Path HELPER = Path.of("/sbin/" + UmountHelperCommand.NAME);
    private static final Path TABLE = Path.of("/run/mount/utab");
    private static final int TIMEOUT_SECONDS = 10;

    private UmountRegistration() {}

    /**
     * Registers a mount, where umount.ssdcache is installed.
     *
     * @return whether umount(8) will flush, or could not
     */
    static boolean register(MountPlan plan) throws IOException {
        if (!Files.isExecutable(HELPER) || isRegistered(readTable(), plan.mountpoint())) {
            return true;
        }
        Process mount =
                new ProcessBuilder(
                                "mount",
                                "-i", // calls no helper, which would be this program
                                "-f", // mounts nothing
                                "-t",
                                "fuse.ssdcache",
                                "-o",
                                "helper=ssdcache",
                                "--",
                                plan.backing().toString(),
                                plan.mountpoint().toString())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            boolean ended = mount.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            return ended && mount.exitValue() == 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        } finally {
            mount.destroyForcibly();
        }
    }

    private static String readTable() throws IOException {
        try {
            return new String(Files.readAllBytes(TABLE), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** Also by what an earlier mount has left there: any line of the mountpoint does. */
    static boolean isRegistered(String table, Path mountpoint) {
        String field = "TARGET=" + escape(mountpoint.toString());
        return table.lines().anyMatch(line -> fields(line).contains(field));
    }

    private static List<String> fields(String line) {
        return Arrays.asList(line.split(" ", -1));
    }

    /** As in /proc/mounts. */
    private static String escape(String path) {
        return path.replace("\\", "\\134")
                .replace(" ", "\\040")
                .replace("\t", "\\011")
                .replace("\n", "\\012");
    }
}
