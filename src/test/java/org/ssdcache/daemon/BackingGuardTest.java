package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.FakeGuardDisk.Left;
import org.ssdcache.testing.FakeClock;

class BackingGuardTest {
    private static final int MODE = 02751;
    private static final int OTHER_MODE = 05700;
    private static final int NO_ROOT_FD = -1;
    private static final DirtyMarker OWN = new DirtyMarker("/cache", "/back", "/mount", 0, 77, 0);
    private static final Left UNLOCKED = new Left(MODE, Optional.empty(), Optional.empty());

    private final FakeClock clock = new FakeClock();

    /** What is done with a guard. */
    private interface Action {
        void run(BackingGuard guard) throws IOException;
    }

    private BackingGuard recover(FakeGuardDisk disk) throws IOException, RefusedException {
        return BackingGuard.recover(disk, OWN, true, clock);
    }

    private static Left leftBy(FakeGuardDisk disk) {
        return disk.now();
    }

    private Left locked() throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(UNLOCKED);
        recover(disk).lock();
        return leftBy(disk);
    }

    private static void assertLocked(int mode, Left left) throws IOException {
        assertEquals(mode & 07000, left.mode());
        DirtyMarker marker = DirtyMarker.parse(left.marker().orElseThrow()).orElseThrow();
        assertEquals(mode, marker.mode());
        assertEquals(Optional.of(marker), DirtyMarker.parse(left.record().orElseThrow()));
    }

    @Test
    void lockedAndUnlockedAgain() throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(UNLOCKED);
        BackingGuard guard = recover(disk);
        assertEquals(MODE, guard.shownMode(disk.mode()));
        assertFalse(guard.isLocked());
        guard.lock();
        assertTrue(guard.isLocked());
        assertEquals(MODE, guard.shownMode(disk.mode()));
        assertLocked(MODE, leftBy(disk));
        assertEquals(1, disk.afterPowerCut().size(), "everything is durable");
        guard.unlock();
        assertEquals(UNLOCKED, leftBy(disk));
        assertEquals(1, disk.afterPowerCut().size(), "everything is durable");
        guard.close();
        assertEquals(UNLOCKED, leftBy(disk));
        assertTrue(disk.isClosed());
    }

    /**
     * Somebody took the marker away, or gave the changes up; a mount that is refused is no answer.
     */
    @Test
    void withoutItsMarkerTheDirectoryIsDisputedUntilThatIsDecided()
            throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(UNLOCKED);
        BackingGuard guard = recover(disk);
        assertTrue(guard.isDisputed());
        guard.lock();
        assertTrue(recover(disk).isDisputed(), "as after a crash");
        guard.decided();
        assertFalse(recover(disk).isDisputed());
        assertEquals(1, disk.afterPowerCut().size(), "everything is durable");
    }

    @Test
    void doneTwiceIsDoneOnce() throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(UNLOCKED);
        BackingGuard guard = recover(disk);
        guard.unlock();
        assertEquals(0, disk.steps());
        guard.lock();
        int steps = disk.steps();
        clock.advanceNanos(5_000_000_000L);
        guard.lock();
        assertEquals(steps, disk.steps());
    }

    /** Recovering over every state that every crash of the action may leave must be possible. */
    private int forEachCrash(Left start, Action prepare, Action action, int... possibleModes)
            throws IOException, RefusedException {
        int crashes = 0;
        for (int step = 1; ; step++) {
            FakeGuardDisk disk = new FakeGuardDisk(start);
            BackingGuard guard = recover(disk);
            prepare.run(guard);
            disk.crashAt(step);
            if (succeeds(() -> action.run(guard))) {
                return crashes;
            }
            crashes++;
            assertRecoverable(disk.now(), possibleModes);
            for (Left left : disk.afterPowerCut()) {
                assertRecoverable(left, possibleModes);
            }
        }
    }

    private static boolean succeeds(Executable action) {
        try {
            action.execute();
            return true;
        } catch (IOException e) {
            return false;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private void assertRecoverable(Left left, int... possibleModes)
            throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(left);
        BackingGuard guard = recover(disk);
        int mode = guard.shownMode(disk.mode());
        assertTrue(
                java.util.Arrays.stream(possibleModes).anyMatch(possible -> possible == mode),
                () -> Integer.toOctalString(mode) + " after " + left);
        guard.lock();
        assertLocked(mode, leftBy(disk));
        FakeGuardDisk again = new FakeGuardDisk(left);
        recover(again).unlock();
        assertEquals(new Left(mode, Optional.empty(), Optional.empty()), leftBy(again));
    }

    @Test
    void everyCrashOfLockIsRecovered() throws IOException, RefusedException {
        assertEquals(4, forEachCrash(UNLOCKED, guard -> {}, BackingGuard::lock, MODE));
    }

    @Test
    void everyCrashOfUnlockIsRecovered() throws IOException, RefusedException {
        assertEquals(5, forEachCrash(UNLOCKED, BackingGuard::lock, BackingGuard::unlock, MODE));
        assertEquals(5, forEachCrash(locked(), guard -> {}, BackingGuard::unlock, MODE));
    }

    @Test
    void everyCrashOfLockAfterARestartIsRecovered() throws IOException, RefusedException {
        assertEquals(4, forEachCrash(locked(), guard -> {}, BackingGuard::lock, MODE));
    }

    @Test
    void everyCrashOfAChangeOfTheModeIsRecovered() throws IOException, RefusedException {
        assertEquals(
                4,
                forEachCrash(
                        UNLOCKED,
                        BackingGuard::lock,
                        guard -> guard.setMode(NO_ROOT_FD, OTHER_MODE),
                        MODE,
                        OTHER_MODE));
    }

    @Test
    void whatCrashedInOneProcessIsDoneAgainByTheSame() throws IOException, RefusedException {
        for (int step = 1; step <= 4; step++) {
            FakeGuardDisk disk = new FakeGuardDisk(UNLOCKED);
            BackingGuard guard = recover(disk);
            disk.crashAt(step);
            assertThrows(IOException.class, guard::lock);
            assertEquals(MODE, guard.shownMode(disk.mode()));
            disk.crashAt(Integer.MAX_VALUE);
            guard.lock();
            assertLocked(MODE, leftBy(disk));
        }
    }

    @Test
    void theModeOfALockedRootIsWrittenDown() throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(UNLOCKED);
        BackingGuard guard = recover(disk);
        guard.lock();
        guard.setMode(NO_ROOT_FD, OTHER_MODE);
        assertEquals(OTHER_MODE, guard.shownMode(disk.mode()));
        assertEquals(1, disk.afterPowerCut().size(), "everything is durable");
        assertLocked(OTHER_MODE, leftBy(disk));
        guard.unlock();
        assertEquals(OTHER_MODE, disk.mode());
        guard.setMode(NO_ROOT_FD, MODE);
        assertEquals(UNLOCKED, leftBy(disk));
    }

    @Test
    void aModeThatCannotBeWrittenDownIsNotShown() throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(UNLOCKED);
        BackingGuard guard = recover(disk);
        guard.lock();
        disk.crashAt(2);
        assertThrows(IOException.class, () -> guard.setMode(NO_ROOT_FD, OTHER_MODE));
        assertEquals(MODE, guard.shownMode(disk.mode()));
    }

    @Test
    void modeZeroMayBeTheTrueOne() throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(UNLOCKED);
        BackingGuard guard = recover(disk);
        guard.setMode(NO_ROOT_FD, 0);
        assertEquals(0, guard.shownMode(disk.mode()));
        guard.lock();
        assertEquals(0, guard.shownMode(disk.mode()));
        assertLocked(0, leftBy(disk));
        guard.setMode(NO_ROOT_FD, MODE);
        guard.unlock();
        assertEquals(UNLOCKED, leftBy(disk));
    }

    @Test
    void aLostMarkerIsWrittenAgain() throws IOException, RefusedException {
        Left locked = locked();
        FakeGuardDisk disk = new FakeGuardDisk(new Left(0, Optional.empty(), locked.record()));
        BackingGuard guard = recover(disk);
        assertTrue(guard.isLocked());
        assertEquals(MODE, guard.shownMode(disk.mode()));
        guard.lock();
        assertEquals(locked, leftBy(disk));
    }

    @Test
    void aLostRecordIsWrittenAgain() throws IOException, RefusedException {
        Left locked = locked();
        FakeGuardDisk disk = new FakeGuardDisk(new Left(0, locked.marker(), Optional.empty()));
        clock.advanceNanos(5_000_000_000L);
        recover(disk).lock();
        assertEquals(locked, leftBy(disk), "locked since the first time");
    }

    @Test
    void chmodKeepsTheSetgidBitOfADirectoryAndItIsClosedAllTheSame()
            throws IOException, RefusedException {
        Left locked = locked();
        for (int mode : new int[] {0, 02000, 07000}) {
            Left left = new Left(mode, locked.marker(), locked.record());
            assertRecoverable(left, MODE);
        }
    }

    @Test
    void aModeThatSomebodyGaveTheLockedDirectoryStays() throws IOException, RefusedException {
        Left locked = locked();
        Left opened = new Left(OTHER_MODE, locked.marker(), locked.record());
        FakeGuardDisk disk = new FakeGuardDisk(opened);
        BackingGuard guard = recover(disk);
        assertEquals(OTHER_MODE, guard.shownMode(disk.mode()));
        guard.lock();
        assertLocked(OTHER_MODE, leftBy(disk));
    }

    private static void assertRefused(ExitCode code, String word, Executable action) {
        RefusedException e = assertThrows(RefusedException.class, action);
        assertEquals(code, e.code());
        assertTrue(e.getMessage().contains(word), e.getMessage());
    }

    @Test
    void anUnknownModeIsRefused() {
        Left left = new Left(0, Optional.empty(), Optional.empty());
        assertRefused(ExitCode.FAILURE, "chmod", () -> recover(new FakeGuardDisk(left)));
        Left damaged = new Left(0, Optional.empty(), Optional.of("?"));
        assertRefused(ExitCode.FAILURE, "chmod", () -> recover(new FakeGuardDisk(damaged)));
    }

    @Test
    void aFileThatIsNoMarkerIsRefused() {
        Left left = new Left(MODE, Optional.of("my notes"), Optional.empty());
        assertRefused(
                ExitCode.CACHE_UNUSABLE, DirtyMarker.NAME, () -> recover(new FakeGuardDisk(left)));
    }

    @Test
    void anotherCacheIsRefused() throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(locked());
        DirtyMarker other = new DirtyMarker("/other", "/back", "/mount", 0, 78, 0);
        assertRefused(
                ExitCode.CACHE_UNUSABLE,
                "ssdcache mount --cache /cache /back /mount",
                () -> BackingGuard.recover(disk, other, true, clock));
        assertRefused(
                ExitCode.CACHE_UNUSABLE,
                "/cache",
                () -> BackingGuard.refuseOtherCache(disk, Optional.empty(), "/back"));
        assertRefused(
                ExitCode.CACHE_UNUSABLE,
                "/cache",
                () -> BackingGuard.refuseOtherCache(disk, Optional.of(78L), "/back"));
        BackingGuard.refuseOtherCache(disk, Optional.of(77L), "/back");
        BackingGuard.refuseOtherCache(new FakeGuardDisk(UNLOCKED), Optional.empty(), "/back");
    }

    @Test
    void whoCannotPassModeZeroSetsItAtTheEnd() throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(UNLOCKED);
        BackingGuard guard = BackingGuard.recover(disk, OWN, false, clock);
        guard.lock();
        assertEquals(MODE, disk.mode());
        assertTrue(disk.marker().isPresent());
        guard.setMode(NO_ROOT_FD, OTHER_MODE);
        assertEquals(OTHER_MODE, disk.mode());
        guard.close();
        assertLocked(OTHER_MODE, leftBy(disk));
        assertEquals(1, disk.afterPowerCut().size(), "everything is durable");
    }

    @Test
    void whoCannotPassModeZeroLeavesACleanDirectoryAlone() throws IOException, RefusedException {
        FakeGuardDisk disk = new FakeGuardDisk(UNLOCKED);
        BackingGuard guard = BackingGuard.recover(disk, OWN, false, clock);
        guard.lock();
        guard.unlock();
        guard.close();
        assertEquals(UNLOCKED, leftBy(disk));
    }

    @Test
    void theMarkersNamesAreHidden() throws IOException, RefusedException {
        BackingGuard guard = recover(new FakeGuardDisk(UNLOCKED));
        for (String name : new String[] {"SSDCACHE-DIRTY.txt", "SSDCACHE-DIRTY.txt.new"}) {
            ByteBuffer bytes = ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8));
            assertTrue(guard.isHidden(bytes));
            assertEquals(name.length(), bytes.remaining());
        }
        for (String name : new String[] {"SSDCACHE-DIRTY.tx", "ssdcache-dirty.txt", "x", ""}) {
            assertFalse(guard.isHidden(ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8))));
        }
    }
}
