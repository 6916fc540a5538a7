package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.io.ScratchMemory;

/**
 * One opendir(3): a descriptor of its own, so that its position and what it has read ahead belong
 * to this handle alone. Offsets are the backing's own, so they stay right while entries come and
 * go, and over seekdir(3).
 */
final class DirectoryHandle {
    private static final int BUFFER_BYTES = 32 << 10;

    /** Offsets of struct linux_dirent64. */
    private static final int NEXT_OFFSET = 8;

    private static final int RECORD_LENGTH = 16;
    private static final int TYPE = 18;
    private static final int NAME = 19;

    // constant
    private final int fd;
    private final boolean root;

    /** Made when entries are first read: many directories are opened only to be synced. */
    @GuardedBy("this")
    private ScratchMemory memory;

    /** Entries read ahead lie between position and limit. */
    @GuardedBy("this")
    private ByteBuffer entries;

    /** The offset at which {@link #entries} goes on. */
    @GuardedBy("this")
    private long position;

    DirectoryHandle(Inode inode) throws ErrnoException {
        this(inode.reopen(OpenFlags.O_RDONLY | OpenFlags.O_DIRECTORY), inode.isRoot());
    }

    /**
     * Takes over a directory's descriptor that is open for reading.
     *
     * @param root whether it is the root of the backing
     */
    DirectoryHandle(int fd, boolean root) {
        this.fd = fd;
        this.root = root;
    }

    boolean isRoot() {
        return root;
    }

    /** The descriptor, still owned by this object. */
    int fd() {
        return fd;
    }

    /** Gives entries to the sink, from the offset on, until it is full or the directory ends. */
    synchronized void read(long offset, DirectorySink sink) throws ErrnoException {
        moveTo(offset);
        while (fill()) {
            while (entries.hasRemaining()) {
                if (!give(sink)) {
                    return;
                }
            }
        }
    }

    @GuardedBy("this")
    private void moveTo(long offset) throws ErrnoException {
        if (memory == null) {
            memory = new ScratchMemory(BUFFER_BYTES);
            entries = memory.buffer().limit(0);
        }
        // Offset 0 is a rewind: entries made since must be seen.
        if (offset != position || offset == 0) {
            Posix.seek(fd, offset);
            entries.limit(0);
            position = offset;
        }
    }

    /** False at the end of the directory. */
    @GuardedBy("this")
    private boolean fill() throws ErrnoException {
        if (entries.hasRemaining()) {
            return true;
        }
        int lengthBytes = Posix.readDirectory(fd, memory.address(), BUFFER_BYTES);
        entries.clear().limit(lengthBytes);
        return lengthBytes > 0;
    }

    @GuardedBy("this")
    private boolean give(DirectorySink sink) {
        int start = entries.position();
        int end = start + (entries.getShort(start + RECORD_LENGTH) & 0xffff);
        int nameEnd = start + NAME;
        while (entries.get(nameEnd) != 0) {
            nameEnd++;
        }
        ByteBuffer name = entries.slice(start + NAME, nameEnd - start - NAME);
        long next = entries.getLong(start + NEXT_OFFSET);
        if (!sink.entry(entries.getLong(start), next, entries.get(start + TYPE), name)) {
            return false;
        }
        position = next;
        entries.position(end);
        return true;
    }

    void sync(boolean dataOnly) throws ErrnoException {
        if (dataOnly) {
            Posix.fdatasync(fd);
        } else {
            Posix.fsync(fd);
        }
    }

    void close() throws ErrnoException {
        Posix.close(fd);
    }
}
