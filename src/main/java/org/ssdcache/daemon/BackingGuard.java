package org.ssdcache.daemon;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.cache.BackingTree;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.file.RootGuard;
import org.ssdcache.io.Clock;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/**
 * Locks the backing directory while the cache may hold what it lacks (invariant I12): its root has
 * mode 0, but for setuid, setgid and sticky bit, and a marker in it says why, and what to do. The
 * true mode is in the marker and in the cache directory, and the mount shows it.
 *
 * <p>A daemon that cannot pass a directory of mode 0 itself, because it is not root, only keeps the
 * marker while it runs, and sets mode 0 when it ends with the directory locked.
 *
 * <p>Whatever crashes between two steps of {@link #lock} and {@link #unlock}: a mode on the disk
 * that lets anybody in is the true one; else the true one is written down.
 */
final class BackingGuard implements RootGuard, BackingTree.Lock, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(BackingGuard.class);

    /** Permissions proper; without any of them a directory is locked. */
    private static final int PERMISSIONS = 0777;

    /** Setgid decides over the groups of new files, so these stay on the disk. */
    private static final int SPECIAL = 07000;

    private static final ByteBuffer NAME =
            ByteBuffer.wrap(DirtyMarker.NAME.getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();
    private static final ByteBuffer FRESH_NAME =
            ByteBuffer.wrap((DirtyMarker.NAME + ".new").getBytes(StandardCharsets.UTF_8))
                    .asReadOnlyBuffer();

    /** Set before anybody else sees this object. */
    private boolean disputed;

    /** How much of the lock is on the disk. */
    private enum State {
        UNLOCKED,
        /** Some of it, or all. */
        PARTLY,
        LOCKED
    }

    // dependencies
    private final GuardDisk disk;
    private final Clock clock;

    /** Whether this process can use a directory of mode 0. */
    private final boolean passesModeZero;

    /** What a marker of this mount says. */
    @GuardedBy("this")
    private DirtyMarker marker;

    @GuardedBy("this")
    private State state;

    /** The mode that was on the disk last when it let anybody in, or was set since. */
    private volatile int trueMode;

    private BackingGuard(
            GuardDisk disk,
            DirtyMarker marker,
            State state,
            int trueMode,
            boolean passesModeZero,
            Clock clock) {
        this.disk = disk;
        this.marker = marker;
        this.state = state;
        this.trueMode = trueMode;
        this.passesModeZero = passesModeZero;
        this.clock = clock;
    }

    /**
     * Finds out how an earlier daemon left the directory; changes nothing. Afterwards {@link #lock}
     * or {@link #unlock} is to be called, whichever is right for the cache.
     *
     * @param disk belongs to the guard now, unless this fails
     * @param own what a marker of this mount says; its mode and time mean nothing
     * @param passesModeZero whether this process can use a directory of mode 0
     * @throws RefusedException if the directory is locked for another cache, or its true mode is
     *     unknown
     */
    static BackingGuard recover(
            GuardDisk disk, DirtyMarker own, boolean passesModeZero, Clock clock)
            throws IOException, RefusedException {
        Optional<DirtyMarker> found = markerOf(disk, own.backing());
        refuseOtherCache(found, own.backingId(), own.backing());
        Optional<DirtyMarker> kept = recordOf(disk, own.backingId());
        Optional<DirtyMarker> known = found.or(() -> kept);
        int mode = disk.mode();
        if (isClosed(mode)) {
            mode = known.orElseThrow(() -> unknownMode(own.backing())).mode();
        }
        State state = known.isPresent() ? State.PARTLY : State.UNLOCKED;
        DirtyMarker marker =
                own.withSince(known.map(DirtyMarker::sinceSeconds).orElse(0L))
                        .withFiles(known.map(DirtyMarker::files).orElse(DirtyFiles.NONE))
                        .withDisputed(found.isEmpty() || found.get().disputed());
        BackingGuard guard = new BackingGuard(disk, marker, state, mode, passesModeZero, clock);
        guard.disputed = marker.disputed();
        return guard;
    }

    /** Whether a mode lets nobody in. */
    static boolean isClosed(int mode) {
        return (mode & PERMISSIONS) == 0;
    }

    /**
     * Refuses a backing directory that is locked for another cache than this one.
     *
     * @param backingId of the cache to be used; empty if it does not exist yet
     */
    static void refuseOtherCache(GuardDisk disk, Optional<Long> backingId, String backing)
            throws IOException, RefusedException {
        Optional<DirtyMarker> found = markerOf(disk, backing);
        if (backingId.isPresent()) {
            refuseOtherCache(found, backingId.get(), backing);
        } else if (found.isPresent()) {
            throw lockedForOther(found.get(), backing);
        }
    }

    private static void refuseOtherCache(
            Optional<DirtyMarker> found, long backingId, String backing) throws RefusedException {
        if (found.isPresent() && found.get().backingId() != backingId) {
            throw lockedForOther(found.get(), backing);
        }
    }

    private static RefusedException lockedForOther(DirtyMarker found, String backing) {
        return new RefusedException(
                ExitCode.CACHE_UNUSABLE,
                String.format(
                        "The backing directory %s is locked, because another cache, %s, holds data"
                                + " for it: mount it with that (%s), or, if that is lost for good,"
                                + " give the data up with: ssdcache detach --discard %s",
                        backing, found.cache(), found.mountCommand(), Shell.quote(backing)));
    }

    private static RefusedException unknownMode(String backing) {
        return new RefusedException(
                ExitCode.FAILURE,
                String.format(
                        "The backing directory %s has mode 0, and neither it nor the cache says"
                                + " which mode it had; set it, for example with: chmod 700 %s",
                        backing, Shell.quote(backing)));
    }

    private static Optional<DirtyMarker> markerOf(GuardDisk disk, String backing)
            throws IOException, RefusedException {
        Optional<String> text = disk.marker();
        if (text.isEmpty()) {
            return Optional.empty();
        }
        Optional<DirtyMarker> marker = DirtyMarker.parse(text.get());
        if (marker.isEmpty()) {
            throw DirtyMarker.notOurs(backing);
        }
        return marker;
    }

    /** One that cannot be read says nothing, like one of another cache. */
    private static Optional<DirtyMarker> recordOf(GuardDisk disk, long backingId)
            throws IOException {
        Optional<String> text = disk.record();
        Optional<DirtyMarker> record =
                text.isEmpty() ? Optional.empty() : DirtyMarker.parse(text.get());
        if (text.isPresent() && record.isEmpty()) {
            LOG.warn("the cache's note of the backing directory's mode is damaged");
        }
        return record.filter(kept -> kept.backingId() == backingId);
    }

    /**
     * Whether the directory was without its marker when this mount began, or an earlier one that
     * ended before {@link #decided}. If the cache is dirty all the same, somebody has given up what
     * it holds.
     */
    boolean isDisputed() {
        return disputed;
    }

    /** It is known what counts, the cache or the directory; from now on the marker says no more. */
    synchronized void decided() throws IOException {
        marker = marker.withDisputed(false);
        if (state == State.LOCKED) {
            writeDown();
            disk.syncBacking();
        }
    }

    /**
     * Locks, durably; to be called before the cache holds anything that the backing lacks. Called
     * again it does nothing, or what the first call could not.
     *
     * @throws IOException if the marker cannot be written, or the mode not be set: the cache must
     *     stay clean then
     */
    @Override
    public synchronized void lock() throws IOException {
        if (state == State.LOCKED) {
            return;
        }
        if (state == State.UNLOCKED || marker.sinceSeconds() == 0) {
            marker = marker.withSince(clock.wallNanos() / 1_000_000_000L);
        }
        state = State.PARTLY;
        int mode = disk.mode();
        if (!isClosed(mode)) {
            trueMode = mode;
        }
        writeDown();
        if (passesModeZero) {
            disk.setMode(trueMode & SPECIAL);
        }
        disk.syncBacking();
        state = State.LOCKED;
        LOG.info("the backing directory is locked");
    }

    /** Writes down which files the cache has changes of, while the directory is locked. */
    synchronized void note(DirtyFiles files) throws IOException {
        if (state == State.LOCKED) {
            marker = marker.withFiles(files);
            writeDown();
            disk.syncBacking();
        }
    }

    @GuardedBy("this")
    private void writeDown() throws IOException {
        marker = marker.withMode(trueMode);
        disk.replaceRecord(marker.lines());
        try {
            disk.replaceMarker(marker.text());
        } catch (ErrnoException e) {
            boolean isFull = e.errno() == Errno.ENOSPC || e.errno() == Errno.EDQUOT;
            if (!isFull || disk.marker().isEmpty()) {
                throw e;
            }
            // The one that is there names the same cache; a full disk must not keep it from its
            // data.
            LOG.warn("the backing has no room for a newer marker: {}", e.getMessage());
        }
    }

    /** Unlocks, durably; to be called when the backing has everything. */
    @Override
    public synchronized void unlock() throws IOException {
        if (state == State.UNLOCKED) {
            return;
        }
        state = State.PARTLY;
        if (isClosed(disk.mode())) {
            disk.setMode(trueMode);
        }
        disk.syncBacking();
        disk.removeMarker();
        disk.syncBacking();
        disk.removeRecord();
        state = State.UNLOCKED;
        LOG.info("the backing directory is unlocked");
    }

    @Override
    public int shownMode(int permissions) {
        return isClosed(permissions) ? trueMode : permissions;
    }

    /** While the directory is locked the new mode is written down, and durable on return. */
    @Override
    public synchronized void setMode(int rootFd, int permissions) throws IOException {
        if (state == State.UNLOCKED) {
            disk.setMode(permissions);
            trueMode = permissions;
            return;
        }
        int before = trueMode;
        trueMode = permissions;
        boolean done = false;
        try {
            writeDown();
            disk.setMode(isClosed(disk.mode()) ? permissions & SPECIAL : permissions);
            disk.syncBacking();
            done = true;
        } finally {
            if (!done) {
                trueMode = before;
            }
        }
    }

    @Override
    public synchronized boolean isLocked() {
        return state != State.UNLOCKED;
    }

    @Override
    public boolean isHidden(ByteBuffer name) {
        return name.equals(NAME) || name.equals(FRESH_NAME);
    }

    /** A directory that is locked by its marker only gets mode 0 now. */
    @Override
    public synchronized void close() throws IOException {
        try {
            if (state != State.UNLOCKED && !passesModeZero && !isClosed(disk.mode())) {
                disk.setMode(trueMode & SPECIAL);
                disk.syncBacking();
            }
        } finally {
            disk.close();
        }
    }
}
