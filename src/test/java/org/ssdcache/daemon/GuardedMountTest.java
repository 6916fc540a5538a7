package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.RefusedException;
import org.ssdcache.file.FileSystem;
import org.ssdcache.file.FileSystemOptions;
import org.ssdcache.io.Posix;
import org.ssdcache.mount.MountFlags;
import org.ssdcache.mount.MountOptions;
import org.ssdcache.mount.MountSession;
import org.ssdcache.testing.Caches;

/** A real mount of a locked backing directory, used by processes of several users. */
@Tag("mount")
@Timeout(60)
class GuardedMountTest {
    private static final int NOBODY = 65534;

    /** A user that owns a directory as a database does. */
    private static final int OWNER = 4711;

    @TempDir Path directory;
    @TempDir Path cacheDirectory;
    private Path backing;
    private Path mountpoint;
    private BackingDirectory opened;
    private BackingGuard guard;
    private BlockCache cache;
    private FileSystem files;
    private MountSession session;
    private Thread server;

    @BeforeEach
    void make() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "no /dev/fuse");
        assumeTrue(Posix.effectiveUid() == 0, "not root");
        Files.setAttribute(directory, "unix:mode", 0755);
        backing = Files.createDirectory(directory.toRealPath().resolve("backing"));
        mountpoint = Files.createDirectory(directory.toRealPath().resolve("mount"));
    }

    private void mount(Path over, int mode, int owner) throws IOException, RefusedException {
        Files.setAttribute(backing, "unix:uid", owner);
        Files.setAttribute(backing, "unix:gid", owner);
        Files.setAttribute(backing, "unix:mode", mode);
        MountPlan plan =
                new MountPlan(
                        backing,
                        over,
                        cacheDirectory,
                        1 << 20,
                        16 << 10,
                        CacheMode.WRITETHROUGH,
                        0,
                        CleanerSettings.DEFAULT,
                        ConflictChoice.REFUSE,
                        true,
                        MountFlags.NONE,
                        directory,
                        directory);
        LockedBacking locked = new LockedBacking(plan);
        opened = locked.open();
        guard = locked.recover(opened, 1);
        cache = Caches.inMemory(cacheDirectory);
        boolean inPlace = over.equals(backing);
        files = new FileSystem(opened.openAgain(), cache, new FileSystemOptions(inPlace, guard));
        session =
                MountSession.mount(
                        files, MountOptions.of(over.toString(), backing.toString(), true));
        server = new Thread(session::serve);
        server.start();
        guard.lock();
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException {
        if (session != null) {
            session.unmount();
            server.join();
            files.close();
            cache.close();
            guard.close();
            opened.close();
            assertEquals(0, modeOf(backing) & 0777, "still locked");
            assertTrue(Files.exists(backing.resolve(DirtyMarker.NAME)));
            Files.setAttribute(backing, "unix:mode", 0700);
        }
    }

    private static int modeOf(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode") & 07777;
    }

    /** What a shell of a user says, and its exit code. */
    private record Result(int code, String output) {}

    private static Result runAs(int user, String script) throws IOException {
        List<String> command = new ArrayList<>();
        command.addAll(List.of("setpriv", "--reuid", "" + user, "--regid", "" + user));
        command.addAll(List.of("--clear-groups", "sh", "-c", script));
        Process process =
                new ProcessBuilder(command)
                        .directory(Path.of("/").toFile())
                        .redirectErrorStream(true)
                        .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.onExit().join().exitValue(), output);
    }

    private static void assertDoes(int user, String script) throws IOException {
        Result result = runAs(user, script);
        assertEquals(0, result.code(), script + ": " + result.output());
    }

    private static void assertDenied(int user, String script) throws IOException {
        Result result = runAs(user, script);
        assertNotEquals(0, result.code(), script);
        assertTrue(result.output().contains("ermission denied"), result.output());
    }

    @Test
    void anybodyMayUseARootThatIsOpenToAll() throws Exception {
        mount(mountpoint, 0777, 0);
        assertEquals(0, modeOf(backing));
        assertEquals(0777, modeOf(mountpoint));
        assertDoes(
                NOBODY,
                "set -e; cd "
                        + mountpoint
                        + "; echo text >file; mkdir dir; mkfifo pipe;"
                        + " ln -s file link; ln file hard; mv file moved; cat moved; rm hard; ls");
        assertEquals(NOBODY, Files.getAttribute(mountpoint.resolve("moved"), "unix:uid"));
        assertEquals("text\n", Files.readString(backing.resolve("moved")));
        assertDenied(NOBODY, "ls " + backing);
        assertDenied(NOBODY, "cat " + backing.resolve("moved"));
    }

    @Test
    void inPlaceToo() throws Exception {
        mount(backing, 01777, 0);
        assertEquals(01777, modeOf(backing));
        assertDoes(NOBODY, "echo text >" + backing.resolve("file"));
        assertDoes(NOBODY, "cat " + backing.resolve("file"));
        assertEquals("text\n", Files.readString(backing.resolve("file")));
    }

    @Test
    void anOwnersRootIsHisAlone() throws Exception {
        mount(mountpoint, 0700, OWNER);
        assertDoes(
                OWNER,
                "set -e; cd "
                        + mountpoint
                        + "; test \"$(stat -c %a .)\" = 700; mkdir base;"
                        + " echo 15 >PG_VERSION; chmod 600 PG_VERSION; cat PG_VERSION; rmdir base");
        assertDenied(NOBODY, "ls " + mountpoint);
        assertDenied(NOBODY, "echo x >" + mountpoint.resolve("x"));
        assertDenied(NOBODY, "cat " + mountpoint.resolve("PG_VERSION"));
        assertDenied(OWNER, "cat " + backing.resolve("PG_VERSION"));
        assertFalse(runAs(NOBODY, "test -w " + mountpoint).code() == 0);
    }

    @Test
    void newFilesGetTheGroupOfASetgidRoot() throws Exception {
        mount(mountpoint, 02777, OWNER);
        assertEquals(02000, modeOf(backing));
        assertDoes(NOBODY, "touch " + mountpoint.resolve("file"));
        assertEquals(NOBODY, Files.getAttribute(mountpoint.resolve("file"), "unix:uid"));
        assertEquals(OWNER, Files.getAttribute(mountpoint.resolve("file"), "unix:gid"));
        assertDoes(OWNER, "chmod 1777 " + mountpoint + " && chmod g-s " + mountpoint);
        assertEquals(01777, modeOf(mountpoint));
        assertEquals(01000, modeOf(backing));
        assertDoes(NOBODY, "touch " + mountpoint.resolve("other"));
        assertEquals(NOBODY, Files.getAttribute(mountpoint.resolve("other"), "unix:gid"));
        assertTrue(runAs(OWNER + 1, "rm -f " + mountpoint.resolve("file")).code() != 0);
    }

    @Test
    void theOwnerChangesTheMode() throws Exception {
        mount(mountpoint, 0700, OWNER);
        assertDoes(OWNER, "chmod 755 " + mountpoint);
        assertEquals(0, modeOf(backing));
        assertEquals(0755, modeOf(mountpoint));
        assertDoes(NOBODY, "ls " + mountpoint);
        assertDenied(NOBODY, "echo x >" + mountpoint.resolve("x"));
        assertTrue(runAs(NOBODY, "chmod 777 " + mountpoint).code() != 0);
        guard.unlock();
        assertEquals(0755, modeOf(backing));
        assertEquals(0755, modeOf(mountpoint));
        guard.lock();
        assertEquals(0755, modeOf(mountpoint));
    }

    @Test
    void theMarkerIsInTheBackingOnly() throws Exception {
        mount(mountpoint, 0777, 0);
        Path marker = backing.resolve(DirtyMarker.NAME);
        assertTrue(Files.readString(marker).contains(cacheDirectory.toString()));
        assertFalse(Files.exists(mountpoint.resolve(DirtyMarker.NAME)));
        assertEquals("", runAs(NOBODY, "ls -A " + mountpoint).output());
        String taken = mountpoint.resolve(DirtyMarker.NAME).toString();
        for (String attempt : new String[] {"echo x >", "mkdir ", "ln -s x ", "mkfifo "}) {
            Result result = runAs(NOBODY, attempt + taken);
            assertTrue(result.output().contains("not permitted"), attempt + result.output());
        }
        assertTrue(Files.readString(marker).startsWith("This directory is locked"));
    }
}
