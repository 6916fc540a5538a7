package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.ReentrantLock;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.Posix;

/**
 * An inode of the backing that the kernel knows.
 *
 * <p>Its O_PATH descriptor keeps the inode alive after its last name is gone. While it has names it
 * may have no descriptor ({@link PathDescriptor}).
 */
public final class Inode {
    // constant
    private final int number;
    private final int generation;
    private final PathDescriptor path;
    private final int type;
    private final InodeKey key;
    private final FileId fileId;
    private final NameChanges names = new NameChanges();

    /** Held while the file is opened, closed, or changes its attributes or links. */
    final ReentrantLock lock = new ReentrantLock();

    /** Set while a handle exists; written under {@link #lock}, read without. */
    private volatile OpenFile open;

    /** What the file was like when this daemon last looked; decides over the kernel's pages. */
    @GuardedBy("lock")
    private FileFacts lastFacts;

    /** References of the kernel and of running requests; belongs to the table's lock. */
    long references;

    /** By which name the kernel may be asked to forget it; null if it should not be asked. */
    private volatile KnownName forgettableName;

    Inode(int number, int generation, PathDescriptor path, FileStatus status, FileId fileId) {
        this.number = number;
        this.generation = generation;
        this.path = path;
        this.type = status.type();
        this.key = InodeKey.of(status);
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

    /** What finds the file in a later mount; NONE if the system has nothing. */
    FileLocator locator() throws ErrnoException {
        try (PathDescriptor use = path.use()) {
            return use.locator();
        }
    }

    /** Begins a use of the descriptor, which closing it ends. */
    PathDescriptor path() throws ErrnoException {
        return path.use();
    }

    /** Opens the inode again, with other flags. */
    int reopen(int flags) throws ErrnoException {
        try (PathDescriptor use = path.use()) {
            return Posix.reopen(use.fd(), flags);
        }
    }

    /** The descriptor without a use, for the table. */
    PathDescriptor pathState() {
        return path;
    }

    InodeKey key() {
        return key;
    }

    boolean isRoot() {
        return number == InodeTable.ROOT;
    }

    boolean isRegular() {
        return type == FileStatus.TYPE_REGULAR;
    }

    boolean isDirectory() {
        return type == FileStatus.TYPE_DIRECTORY;
    }

    /** Which of its names are durable. */
    NameChanges names() {
        return names;
    }

    void setForgettableName(KnownName name) {
        this.forgettableName = name;
    }

    /** The name by which to forget it, if it is idle; is given once for each lookup. */
    KnownName takeIdleName() {
        KnownName name = forgettableName;
        if (name == null || open != null || !path.isIdle()) {
            return null;
        }
        forgettableName = null;
        return name;
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

    /** What the backing says; {@link ShownAttributes} says what the mount shows. */
    FileStatus backingStatus() throws ErrnoException {
        try (PathDescriptor use = path.use()) {
            return Posix.status(use.fd());
        }
    }

    static FileFacts factsOf(FileStatus status) {
        return new FileFacts(status.sizeBytes(), status.modifiedNanos(), status.changedNanos());
    }
}
