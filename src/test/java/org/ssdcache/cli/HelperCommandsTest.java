package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.control.ExitCode;
import picocli.CommandLine;

/** What mount(8) and umount(8) call, as far as nothing has to be mounted for it. */
class HelperCommandsTest {
    private static final String MOUNT = MountHelperCommand.NAME;
    private static final String UMOUNT = UmountHelperCommand.NAME;

    @TempDir private Path directory;
    private Path backing;
    private Path mountpoint;
    private Path cache;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void makeDirectories() throws IOException {
        backing = Files.createDirectory(directory.resolve("backing"));
        mountpoint = Files.createDirectory(directory.resolve("mount, point"));
        cache = directory.resolve("cache");
    }

    private int execute(String... arguments) {
        CommandLine command =
                SsdCache.commandLine()
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }

    private void assertCode(MountExitCode code, String sentence, String... arguments) {
        err.getBuffer().setLength(0);
        assertEquals(code.number(), execute(arguments), err.toString());
        assertTrue(err.toString().contains(sentence), err.toString());
        assertTrue(err.toString().lines().count() <= 2, err.toString());
        assertFalse(err.toString().contains("Exception"), err.toString());
    }

    @Test
    void helpersAreNotShown() {
        assertEquals(0, execute("--help"));
        assertFalse(out.toString().contains(MOUNT), out.toString());
        assertEquals(0, execute(MOUNT, "--help"));
        assertTrue(out.toString().contains("MOUNTPOINT"), out.toString());
    }

    @ParameterizedTest
    @EnumSource
    void everyCodeIsOneOfMount(ExitCode code) {
        MountExitCode mount = MountExitCode.of(code);
        assertEquals(code == ExitCode.OK, mount == MountExitCode.SUCCESS);
    }

    @Test
    void wrongUsage() {
        assertCode(MountExitCode.USAGE, "Missing required", MOUNT);
        assertCode(MountExitCode.USAGE, "Missing required", MOUNT, "" + backing);
        assertCode(MountExitCode.USAGE, "Unknown option", MOUNT, "--x", "/a", "/b");
        assertCode(MountExitCode.USAGE, "Unmatched", MOUNT, "/a", "/b", "/c");
        assertCode(MountExitCode.USAGE, "path is empty", MOUNT, "", "/b");
        assertCode(MountExitCode.USAGE, "Missing required", UMOUNT);
        assertCode(MountExitCode.USAGE, "Unknown option", UMOUNT, "--x", "/a");
        assertCode(MountExitCode.USAGE, "nsenter", UMOUNT, "/a", "-N", "/proc/1/ns/mnt");
    }

    @Test
    void wrongOptions() {
        assertCode(MountExitCode.USAGE, "did you mean \"cache\"", mount("-o", "rw,cahce=/x"));
        assertCode(MountExitCode.USAGE, "given twice", mount("-o", "size=1G,size=2G"));
        assertCode(MountExitCode.USAGE, "given twice", mount("-o", "size=1G", "-o", "size=2G"));
        assertCode(MountExitCode.USAGE, "the modes are", mount("-o", "mode=fast"));
        assertCode(MountExitCode.USAGE, "nsenter", mount("-N", "/proc/1/ns/mnt"));
    }

    private String[] mount(String... options) {
        String[] arguments = new String[options.length + 3];
        arguments[0] = MOUNT;
        arguments[1] = backing.toString();
        arguments[2] = mountpoint.toString();
        System.arraycopy(options, 0, arguments, 3, options.length);
        return arguments;
    }

    @Test
    void wrongPlaces() throws IOException {
        String file = Files.createFile(directory.resolve("file")).toString();
        String at = mountpoint.toString();
        assertCode(MountExitCode.FAILURE, "does not exist", MOUNT, directory + "/no", at);
        assertCode(MountExitCode.FAILURE, "does not exist", MOUNT, "" + backing, directory + "/no");
        assertCode(MountExitCode.FAILURE, "not a directory", MOUNT, "" + backing, file);
        assertCode(MountExitCode.FAILURE, "not a directory", MOUNT, file, at);
        assertCode(MountExitCode.FAILURE, "inside", mount("-o", "cache=" + backing + "/cache"));
        assertCode(MountExitCode.FAILURE, "is not a directory", mount("-o", "cache=" + file));
        assertCode(MountExitCode.FAILURE, "does not fit", mount("-o", "size=900T,cache=" + cache));
        assertCode(MountExitCode.USAGE, "too small", mount("-o", "size=1M,cache=" + cache));
        assertCode(MountExitCode.USAGE, "block size", mount("-o", "block_size=4K,cache=" + cache));
    }

    @Test
    void whatIsNotMountedIsNeitherRemountedNorUnmounted() {
        assertCode(MountExitCode.FAILURE, "not an ssdcache mount", mount("-o", "remount,ro"));
        assertCode(MountExitCode.FAILURE, "not an ssdcache mount", UMOUNT, "" + mountpoint);
        assertCode(MountExitCode.FAILURE, "not an ssdcache mount", UMOUNT, "" + mountpoint, "-l");
        assertCode(MountExitCode.FAILURE, "not an ssdcache mount", UMOUNT, "-f", "" + mountpoint);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-s", "-v", "-n", "-r", "-w"})
    void aFakedMountChecksAndMakesNothing(String option) {
        org.junit.jupiter.api.Assumptions.assumeTrue(
                Files.isWritable(Path.of("/dev/fuse")), "no /dev/fuse");
        int code =
                execute(
                        mount(
                                "-f",
                                option,
                                "-t",
                                "fuse.ssdcache",
                                "-o",
                                "rw,nofail,size=16M,cache=" + cache));
        assertEquals(0, code, err.toString());
        assertFalse(Files.exists(cache));
        assertEquals(
                option.equals("-v"), out.toString().contains("can be mounted on"), out.toString());
    }

    @Test
    void sloppyMountsOnlyWarn() {
        org.junit.jupiter.api.Assumptions.assumeTrue(
                Files.isWritable(Path.of("/dev/fuse")), "no /dev/fuse");
        assertEquals(0, execute(mount("-f", "-s", "-o", "colour=red,size=16M,cache=" + cache)));
        assertTrue(err.toString().contains("warning: There is no option \"colour\""), "" + err);
    }
}
