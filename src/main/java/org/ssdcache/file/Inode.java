package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.Posix;

/**
 * An inode of the backing that the kernel knows.
 *
 * <p>Its O_PATH descriptor keeps the inode alive, also after its last name is gone, so the pair of
 * device and inode number means this file as long as the object is in the table.
 */
public final class Inode {
    // constant
    private final int number;
    private final int generation;
    private final int pathFd;
    private final int type;
    private final InodeKey key;
    private final FileId fileId;

    /** Held while the file is opened, closed, or changes its attributes or links. */
    final ReentrantLock lock = new ReentrantLock();

    /** Set while a handle exists; written under {@link #lock}, read without. */
    private volatile OpenFile open;

    /** What the file was like when this daemon last looked; decides over the kernel's pages. */
    @GuardedBy("lock")
    private FileFacts lastFacts;

    /** References of the kernel and of running requests; belongs to the table's lock. */
    long references;

    Inode(int number, int generation, int pathFd, FileStatus status, FileId fileId) {
        this.number = number;
        this.generation = generation;
        this.pathFd = pathFd;
        this.type = status.type();
        this.key = new InodeKey(status.device(), status.inode());
        this.fileId = fileId;
    }

    /** The number by which the kernel names it. */
    public int number() {
        return number;
    }

    /** Which use of the number this is. */
    public int generation() {
        return generation;
    }

    public FileId fileId() {
        return fileId;
    }

    int pathFd() {
        return pathFd;
    }

    InodeKey key() {
        return key;
    }

    boolean isRegular() {
        return type == FileStatus.TYPE_REGULAR;
    }

    OpenFile open() {
        return open;
    }

    @GuardedBy("lock")
    void setOpen(OpenFile open) {
        this.open = open;
    }

    @GuardedBy("lock")
    FileFacts lastFacts() {
        return lastFacts;
    }

    @GuardedBy("lock")
    void setLastFacts(FileFacts facts) {
        this.lastFacts = facts;
    }

    FileStatus backingStatus() throws ErrnoException {
        return Posix.status(pathFd);
    }

    /** Attributes as the mount shows them: while the file is open its size is the cache's. */
    FileStatus status() throws ErrnoException {
        FileStatus status = backingStatus();
        OpenFile current = open;
        return current == null ? status : status.withSize(current.cached().sizeBytes());
    }

    static FileFacts factsOf(FileStatus status) {
        return new FileFacts(status.sizeBytes(), status.modifiedNanos(), status.changedNanos());
    }
}
