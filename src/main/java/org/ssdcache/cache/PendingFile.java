package org.ssdcache.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.ssdcache.block.FileLocator;
import org.ssdcache.block.PendingAttributes;

/**
 * A file that the backing does not have as applications see it: some of its blocks are dirty, or
 * its length and times have still to be set there.
 *
 * <pre>
 *  PENDING --settle-->  SETTLED   the backing has everything; whoever writes next begins anew
 *  PENDING --doom-->    DOOMED    its last name and handle are gone, but the backing may still
 *                                 lose that: after a power cut the file may be back
 * </pre>
 */
final class PendingFile {
    enum State {
        PENDING,
        SETTLED,
        DOOMED
    }

    private final int number;
    private final FileLocator locator;

    /** Held over a change of the backing file's length or times, so that the last one is right. */
    private final ReentrantLock backingAttributes = new ReentrantLock();

    @GuardedBy("this")
    private State state = State.PENDING;

    @GuardedBy("this")
    private long sizeBytes;

    @GuardedBy("this")
    private long modifiedNanos;

    @GuardedBy("this")
    private long changedNanos;

    /** Whether the journal has these attributes. */
    @GuardedBy("this")
    private boolean recorded;

    @GuardedBy("this")
    private int changesUnderWay;

    /** Moves with every change, so that who looked before can tell. */
    @GuardedBy("this")
    private long version;

    PendingFile(int number, PendingAttributes attributes) {
        this.number = number;
        this.locator = attributes.locator();
        this.sizeBytes = attributes.sizeBytes();
        this.modifiedNanos = attributes.modifiedNanos();
        this.changedNanos = attributes.changedNanos();
    }

    int number() {
        return number;
    }

    FileLocator locator() {
        return locator;
    }

    ReentrantLock backingAttributes() {
        return backingAttributes;
    }

    synchronized boolean isDoomed() {
        return state == State.DOOMED;
    }

    synchronized boolean isSettled() {
        return state == State.SETTLED;
    }

    synchronized void doom() {
        state = State.DOOMED;
    }

    synchronized PendingAttributes attributes() {
        return new PendingAttributes(sizeBytes, modifiedNanos, changedNanos, locator);
    }

    synchronized long version() {
        return version;
    }

    /** The attributes are as a journal that was just read says. */
    synchronized void setRecorded() {
        recorded = true;
    }

    /**
     * An application begins to change the file's content; {@link #endChange} follows.
     *
     * @return false, and nothing changed, if the file is settled: another object is to be made
     */
    synchronized boolean beginChange(long nowNanos) {
        if (state == State.SETTLED) {
            return false;
        }
        changesUnderWay++;
        modifiedNanos = nowNanos;
        changedNanos = nowNanos;
        changed();
        return true;
    }

    synchronized void endChange() {
        changesUnderWay--;
    }

    synchronized void setSizeBytes(long bytes) {
        if (bytes != sizeBytes) {
            sizeBytes = bytes;
            changed();
        }
    }

    /** The file is at least this long now; whether it was shorter. */
    synchronized boolean growTo(long endBytes) {
        boolean grows = endBytes > sizeBytes;
        setSizeBytes(Math.max(sizeBytes, endBytes));
        return grows;
    }

    /** An application set the file's time of modification. */
    synchronized void setModifiedNanos(long nanos) {
        modifiedNanos = nanos;
        changed();
    }

    /** An application changed an attribute on the backing, which noted that time. */
    synchronized void setChangedNanos(long nanos) {
        changedNanos = nanos;
        changed();
    }

    @GuardedBy("this")
    private void changed() {
        recorded = false;
        version++;
    }

    /** What becomes of attributes that the journal does not have yet. */
    interface Recorder {
        void record(PendingAttributes attributes) throws IOException;
    }

    /** Records the attributes if they are not; in the order in which they changed. */
    synchronized void record(Recorder recorder) throws IOException {
        if (!recorded && state == State.PENDING) {
            recorder.record(attributes());
            recorded = true;
        }
    }

    /** What ends the pending state on record. */
    interface Ending {
        void record() throws IOException;
    }

    /** Ends the pending state, if nothing changed since a version and nothing is about to. */
    synchronized boolean settle(long sinceVersion, Ending ending) throws IOException {
        if (version != sinceVersion || changesUnderWay != 0 || state != State.PENDING) {
            return false;
        }
        ending.record();
        state = State.SETTLED;
        return true;
    }
}
