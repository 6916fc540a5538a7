package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.mount.MountFlags;

/** Directories of the machine that earlier mounts left. */
class LockedBackingTest {
    private static final long BACKING_ID = 0x1234;

    @TempDir Path directory;
    private Path backing;

    @BeforeEach
    void make() throws IOException {
        backing = Files.createDirectory(directory.resolve("backing"));
        setMode(0750);
    }

    @AfterEach
    void open() throws IOException {
        setMode(0700);
    }

    private void setMode(int mode) throws IOException {
        Files.setAttribute(backing, "unix:mode", mode);
    }

    private int mode() throws IOException {
        return (int) Files.getAttribute(backing, "unix:mode") & 07777;
    }

    private Path makeCache(String name, long backingId) throws IOException {
        Path cache = Files.createDirectory(directory.resolve(name));
        int fd = Posix.open(backing.toString(), OpenFlags.O_PATH, 0);
        try {
            new CacheProperties(
                            1 << 20,
                            16 << 10,
                            backingId,
                            backing.toString(),
                            BackingIdentity.of(fd))
                    .write(cache);
        } finally {
            Posix.close(fd);
        }
        return cache;
    }

    private MountPlan plan(Path cache) {
        return new MountPlan(
                backing,
                directory.resolve("mount"),
                cache,
                1 << 20,
                16 << 10,
                CacheMode.NONE,
                0,
                CleanerSettings.DEFAULT,
                ConflictChoice.REFUSE,
                false,
                MountFlags.NONE,
                directory,
                directory);
    }

    /** A mount that locks the directory and ends. */
    private void leaveLocked(Path cache, boolean passesModeZero)
            throws IOException, RefusedException {
        LockedBacking locked = new LockedBacking(plan(cache), passesModeZero);
        try (BackingDirectory opened = locked.open();
                BackingGuard guard = locked.recover(opened, BACKING_ID)) {
            guard.lock();
        }
        assertEquals(0, mode());
    }

    private static RefusedException assertRefused(
            ExitCode code, org.junit.jupiter.api.function.Executable action) {
        RefusedException e = assertThrows(RefusedException.class, action);
        assertEquals(code, e.code(), e.getMessage());
        return e;
    }

    @Test
    void theNextMountOfTheSameCacheKnowsTheMode() throws IOException, RefusedException {
        Path cache = makeCache("cache", BACKING_ID);
        leaveLocked(cache, true);
        Path moved = Files.move(cache, directory.resolve("moved"));
        LockedBacking locked = new LockedBacking(plan(moved), true);
        try (BackingDirectory opened = locked.open()) {
            locked.refuseOtherCache(opened);
            try (BackingGuard guard = locked.recover(opened, BACKING_ID)) {
                assertTrue(guard.isLocked());
                assertEquals(0750, guard.shownMode(mode()));
                guard.lock();
                String marker = Files.readString(backing.resolve(DirtyMarker.NAME));
                assertTrue(marker.contains(moved.toString()), marker);
                guard.unlock();
            }
        }
        assertEquals(0750, mode());
        assertFalse(Files.exists(backing.resolve(DirtyMarker.NAME)));
        assertFalse(Files.exists(moved.resolve(CacheContents.GUARD)));
    }

    @Test
    void anotherCacheIsRefusedBeforeItIsMade() throws IOException, RefusedException {
        leaveLocked(makeCache("cache", BACKING_ID), true);
        for (Path other : new Path[] {directory.resolve("none"), makeCache("other", 99)}) {
            LockedBacking locked = new LockedBacking(plan(other), true);
            try (BackingDirectory opened = locked.open()) {
                RefusedException e =
                        assertRefused(
                                ExitCode.CACHE_UNUSABLE, () -> locked.refuseOtherCache(opened));
                assertTrue(e.getMessage().contains(directory + "/cache"), e.getMessage());
            }
        }
        assertFalse(Files.exists(directory.resolve("none")));
        assertEquals(0, mode());
    }

    @Test
    void anOwnerWithoutPrivilegesGetsInAgain() throws IOException, RefusedException {
        Path cache = makeCache("cache", BACKING_ID);
        leaveLocked(cache, false);
        LockedBacking locked = new LockedBacking(plan(cache), false);
        try (BackingDirectory opened = locked.open()) {
            assertEquals(0750, mode());
            locked.refuseOtherCache(opened);
            try (BackingGuard guard = locked.recover(opened, BACKING_ID)) {
                assertEquals(0750, guard.shownMode(mode()));
                guard.unlock();
            }
        }
        assertEquals(0750, mode());
    }

    @Test
    void butNotWithAnotherCache() throws IOException, RefusedException {
        leaveLocked(makeCache("cache", BACKING_ID), false);
        for (Path other : new Path[] {directory.resolve("none"), makeCache("other", 99)}) {
            assertRefused(ExitCode.PERMISSION, () -> new LockedBacking(plan(other), false).open());
            assertEquals(0, mode());
        }
    }

    @Test
    void aMountThatFailsLeavesItLocked() throws IOException, RefusedException {
        Path cache = makeCache("cache", BACKING_ID);
        leaveLocked(cache, false);
        LockedBacking locked = new LockedBacking(plan(cache), false);
        try (BackingDirectory opened = locked.open()) {
            locked.recover(opened, BACKING_ID).close();
        }
        assertEquals(0, mode());
    }

    @Test
    void anOpenDirectoryIsLeftAlone() throws IOException, RefusedException {
        Path cache = makeCache("cache", BACKING_ID);
        for (boolean passesModeZero : new boolean[] {true, false}) {
            LockedBacking locked = new LockedBacking(plan(cache), passesModeZero);
            try (BackingDirectory opened = locked.open()) {
                locked.refuseOtherCache(opened);
                locked.recover(opened, BACKING_ID).close();
            }
            assertEquals(0750, mode());
        }
        assertEquals(
                "rwxr-x---", PosixFilePermissions.toString(Files.getPosixFilePermissions(backing)));
    }
}
