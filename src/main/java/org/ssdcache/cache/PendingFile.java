package org.ssdcache.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.function.BooleanSupplier;
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

    @GuardedBy("this")
    private State state = State.PENDING;

    @GuardedBy("this")
    private long sizeBytes;

    /** Whether the file may yet be as long again as it was. */
    @GuardedBy("this")
    private boolean shrinking;

    @GuardedBy("this")
    private long modifiedNanos;

    @GuardedBy("this")
    private long changedNanos;

    /** Whether the journal has these attributes. */
    @GuardedBy("this")
    private boolean recorded;

    /** Whether the journal has any. */
    @GuardedBy("this")
    private boolean everRecorded;

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
        everRecorded = true;
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

    /** The file will be shorter, unless that fails: {@link #endShrink} tells. */
    synchronized void beginShrink(long bytes) {
        shrinking = true;
        setSizeBytes(bytes);
    }

    /** The file is so long now, whether shorter or as it was before. */
    synchronized void endShrink(long bytes) {
        shrinking = false;
        setSizeBytes(bytes);
    }

    /** Whether it is certain that the file has no bytes behind a place. */
    synchronized boolean endsBy(long offsetBytes) {
        return !shrinking && sizeBytes <= offsetBytes;
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

    /** Takes attributes down: in the journal, or on the backing. */
    interface Recorder {
        void record(PendingAttributes attributes) throws IOException;
    }

    /** Records the attributes if they are not; in the order in which they changed. */
    synchronized void record(Recorder recorder) throws IOException {
        if (!recorded && state == State.PENDING) {
            recorder.record(attributes());
            setRecorded();
        }
    }

    /** Records the attributes unless the journal has had some: before the first dirty block. */
    synchronized void recordFirst(Recorder recorder) throws IOException {
        if (!everRecorded) {
            record(recorder);
        }
    }

    /**
     * Sets the attributes on the backing, if nothing changed since a version and nothing is about
     * to. Whoever is going to change the file waits meanwhile, so nobody's growth is cut off.
     *
     * @param isQuiet whether nobody changes the backing who began before the file was pending
     */
    synchronized boolean setOnBacking(long sinceVersion, BooleanSupplier isQuiet, Recorder writer)
            throws IOException {
        if (version != sinceVersion
                || changesUnderWay != 0
                || state != State.PENDING
                || !isQuiet.getAsBoolean()) {
            return false;
        }
        writer.record(attributes());
        return true;
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
