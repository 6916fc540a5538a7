package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.control.ExitCode;
import picocli.CommandLine;

class SsdCacheTest {
    @TempDir private Path directory;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private void assertExit(ExitCode code, String... arguments) {
        CommandLine command =
                SsdCache.commandLine()
                        .setOut(new PrintWriter(out, true))
                        .setErr(new PrintWriter(err, true));
        assertEquals(code.number(), command.execute(arguments), err.toString());
        if (code != ExitCode.OK) {
            assertTrue(err.toString().startsWith("ssdcache: "), err.toString());
            assertFalse(err.toString().contains("Exception"), err.toString());
        }
    }

    @Test
    void helpAndVersion() {
        assertExit(ExitCode.OK, "--help");
        assertExit(ExitCode.OK, "mount", "--help");
        assertExit(ExitCode.OK, "--version");
        assertTrue(out.toString().contains("BACKING"), out.toString());
        assertFalse(out.toString().contains("daemon --"), "hidden");
    }

    @Test
    void wrongUsage() {
        assertExit(ExitCode.USAGE);
        assertExit(ExitCode.USAGE, "dance");
        assertExit(ExitCode.USAGE, "mount");
        assertExit(ExitCode.USAGE, "mount", "--no-such-option", "x");
        assertExit(ExitCode.USAGE, "umount", "--timeout", "soon", "x");
        assertExit(ExitCode.USAGE, "set", "x");
    }

    @Test
    void wrongValues() {
        String dir = directory.toString();
        assertExit(ExitCode.USAGE, "mount", "--size", "much", dir);
        assertExit(ExitCode.USAGE, "mount", "--mode", "sometimes", dir);
        assertExit(ExitCode.USAGE, "mount", "-o", "colour=red", dir);
        assertTrue(err.toString().contains("sequential_cutoff"), "lists the keys: " + err);
        assertExit(ExitCode.USAGE, "mount", "-o", "mode", dir);
        assertExit(ExitCode.USAGE, "mount", "-o", "size=1G,size=2G", dir);
        assertExit(ExitCode.USAGE, "mount", "-s", "1G", "-o", "size=1G", dir);
        assertExit(ExitCode.USAGE, "mount", "-o", "conflict=both", dir);
        assertExit(ExitCode.USAGE, "mount", "-o", "writeback_percent=50", dir);
    }

    @Test
    void wrongValuesAreQuoted() {
        assertExit(ExitCode.USAGE, "mount", "-o", ",,=,", directory.toString());
        assertTrue(err.toString().contains("\"=\" is not of the form"), err.toString());
        assertExit(ExitCode.USAGE, "mount", "-o", "mode=", directory.toString());
        assertTrue(err.toString().contains("no mode \"\";"), err.toString());
        assertExit(ExitCode.USAGE, "mount", "-o", "xattr=", directory.toString());
        assertTrue(err.toString().contains("not \"\"."), err.toString());
        assertExit(ExitCode.USAGE, "mount", "-s", "", directory.toString());
        assertTrue(err.toString().contains("size \"\" is not"), err.toString());
        assertExit(ExitCode.USAGE, "umount", "--timeout", "", directory.toString());
        assertTrue(err.toString().contains("\"\" is not a duration"), err.toString());
    }

    @Test
    void anEmptyPathIsNotTheWorkingDirectory() {
        String dir = directory.toString();
        assertExit(ExitCode.USAGE, "mount", "", dir);
        assertTrue(err.toString().contains("the path is empty."), err.toString());
        assertExit(ExitCode.USAGE, "mount", dir, "");
        assertExit(ExitCode.USAGE, "mount", "--cache", "", dir);
        assertExit(ExitCode.USAGE, "mount", "-o", "cache=", dir);
        assertExit(ExitCode.USAGE, "umount", "");
        assertExit(ExitCode.USAGE, "flush", "");
        assertExit(ExitCode.USAGE, "flush", dir, "");
        assertExit(ExitCode.USAGE, "status", "");
        assertExit(ExitCode.USAGE, "set", "", "mode=none");
    }

    @Test
    void anUnmountedDirectoryThatACacheHasChangesOf() throws IOException {
        Files.writeString(
                directory.resolve("SSDCACHE-DIRTY.txt"),
                """
                format=1
                cache=/ssd/c
                backing=/data
                mountpoint=/data
                mode=0750
                backing_id=1
                since_seconds=1700000000
                """);
        CommandLine command = SsdCache.commandLine().setOut(new PrintWriter(out, true));
        assertEquals(ExitCode.DIRTY.number(), command.execute("status", directory.toString()));
        assertTrue(out.toString().contains("ssdcache mount --cache /ssd/c /data"), "" + out);
        out.getBuffer().setLength(0);
        assertEquals(
                ExitCode.DIRTY.number(), command.execute("status", "--json", directory.toString()));
        JsonObject status = JsonParser.parseString(out.toString()).getAsJsonObject();
        assertEquals("/ssd/c", status.get("cache").getAsString());
        assertEquals(1_700_000_000, status.get("locked_since_seconds").getAsLong());
        assertFalse(status.get("mounted").getAsBoolean());
    }

    @Test
    void noMount() {
        String dir = directory.toString();
        assertExit(ExitCode.NOT_MOUNTED, "umount", dir);
        assertExit(ExitCode.NOT_MOUNTED, "flush", dir);
        assertExit(ExitCode.NOT_MOUNTED, "status", dir);
        assertExit(ExitCode.NOT_MOUNTED, "set", dir, "mode=none");
        assertExit(ExitCode.NO_SUCH_PATH, "mount", dir + "/missing");
    }
}
