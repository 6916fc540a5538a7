package org.ssdcache.cache;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;

/** A regular file while it is open: one object however many handles there are. */
public final class CachedFile {
    /** The file has no number: nothing of it is cached. */
    static final int UNREGISTERED = -1;

    private final FileId id;
    private final FileLocator locator;
    private final BackingFile backing;

    /** Shared by writes, exclusive for truncate and hole punching. */
    private final ReentrantReadWriteLock resizing = new ReentrantReadWriteLock();

    private final AtomicInteger failedSyncs = new AtomicInteger();
    private volatile int number;
    private volatile long sizeBytes;
    private volatile boolean admitted;
    private volatile boolean changed;
    private final AtomicLong backingChanges = new AtomicLong();
    private final AtomicLong backingSynced = new AtomicLong();
    private final AtomicBoolean emptied = new AtomicBoolean();
    private volatile boolean longerThanBacking;

    /**
     * Where the backing's bytes end that a truncate could not cut off there; 0 if there are none.
     */
    private volatile long leftoverEndBytes;

    private volatile Reservation reservation = new Reservation();
    private boolean uncacheable;

    CachedFile(FileId id, FileLocator locator, BackingFile backing, int number, long sizeBytes) {
        this.id = id;
        this.locator = locator;
        this.backing = backing;
        this.number = number;
        this.sizeBytes = sizeBytes;
    }

    public FileId id() {
        return id;
    }

    /** The length an application sees. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /**
     * How many syncs of this file have failed since it was opened. A handle that compares it with
     * what it saw last can report each failure once to each opener.
     */
    public int failedSyncs() {
        return failedSyncs.get();
    }

    /** What finds the file again without a name. */
    FileLocator locator() {
        return locator;
    }

    BackingFile backing() {
        return backing;
    }

    Reservation reservation() {
        return reservation;
    }

    ReentrantReadWriteLock resizing() {
        return resizing;
    }

    /** The file's number in the cache, or {@link #UNREGISTERED}. */
    int number() {
        return number;
    }

    void setNumber(int number) {
        this.number = number;
    }

    /** Whether a block of the file was ever put into the cache. */
    boolean isAdmitted() {
        return admitted;
    }

    void setAdmitted() {
        admitted = true;
    }

    /**
     * Whether the file must not get a number any more: it is closed, or a change went unrecorded.
     */
    synchronized boolean isUncacheable() {
        return uncacheable;
    }

    synchronized void setUncacheable() {
        uncacheable = true;
    }

    /**
     * Where bytes end that the backing has behind the file's end, because it refused to cut them
     * off; 0 if there are none. They must be gone before the file grows.
     */
    long leftoverEndBytes() {
        return leftoverEndBytes;
    }

    void setLeftoverEndBytes(long endBytes) {
        leftoverEndBytes = endBytes;
    }

    /** Whether the daemon itself has changed the file since it was opened. */
    boolean isChanged() {
        return changed;
    }

    /** Set while a share of {@link #resizing} is held, cleared while all of it is. */
    void setChanged(boolean changed) {
        this.changed = changed;
    }

    /** Whether the backing may end before the end that applications see: zeros are in between. */
    boolean isLongerThanBacking() {
        return longerThanBacking;
    }

    void setLongerThanBacking() {
        longerThanBacking = true;
    }

    /** The file lost all its bytes; what it gets now takes their place. */
    void emptied() {
        emptied.set(true);
    }

    /** Whether the file lost all its bytes since this was asked last. */
    public boolean takeEmptied() {
        return emptied.get() && emptied.getAndSet(false);
    }

    /** Whether the backing has changes of the file that were not synced there. */
    public boolean isBackingChanged() {
        return backingChanges.get() != backingSynced.get();
    }

    /** The file was changed on the backing; called after the change. */
    void backingChanged() {
        backingChanges.incrementAndGet();
    }

    /** How many changes there were, to be told to {@link #backingSynced} after a sync. */
    long backingChanges() {
        return backingChanges.get();
    }

    /** So many changes are durable. Not before that: others would not wait for the sync. */
    void backingSynced(long changes) {
        backingSynced.accumulateAndGet(changes, Math::max);
    }

    void setSizeBytes(long sizeBytes) {
        this.sizeBytes = sizeBytes;
    }

    /** Another cache has the file from here on, and knows nothing of it yet. */
    synchronized void startOver(int newNumber, long newSizeBytes) {
        reservation = new Reservation();
        longerThanBacking = false;
        leftoverEndBytes = 0;
        number = newNumber;
        sizeBytes = newSizeBytes;
        admitted = false;
        changed = false;
        uncacheable = false;
    }

    /** The file is at least this long now. */
    synchronized void growTo(long endBytes) {
        if (endBytes > sizeBytes) {
            sizeBytes = endBytes;
        }
    }

    void syncFailed() {
        failedSyncs.incrementAndGet();
    }

    @Override
    public String toString() {
        return "inode " + id.inode();
    }
}
