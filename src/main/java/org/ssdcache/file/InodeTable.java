package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ssdcache.block.FileId;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/**
 * The inodes that the kernel knows, with how often it was told about each.
 *
 * <p>Every {@link #lookup} and {@link #adopt} counts one reference, which a later {@link #forget}
 * takes back. Hard links are one inode here, as everywhere.
 */
final class InodeTable {
    static final int ROOT = 1;

    // dependencies
    private final InodeHandles handles;
    private final PathDescriptors descriptors;
    private final HiddenNames hidden;
    private final Shortage shortage = new Shortage();

    // constant
    private final Slab<Inode> inodes = new Slab<>(ROOT);
    private final IdleNames idleNames = new IdleNames(inodes, shortage);
    private final FileIds fileIds;

    @GuardedBy("this")
    private final Map<InodeKey, Inode> byKey = new HashMap<>();

    /** How often each number was used, so that number and generation together never repeat. */
    @GuardedBy("this")
    private int[] generations = new int[64];

    /** Takes over the descriptor of the backing's root. */
    InodeTable(int rootFd, DescriptorLimits limits, HiddenNames hidden) throws ErrnoException {
        this.hidden = hidden;
        FileStatus status = Posix.status(rootFd);
        this.fileIds = new FileIds(status);
        this.handles = limits.byHandle() ? InodeHandles.tryWith(rootFd) : InodeHandles.unusable();
        this.descriptors = new PathDescriptors(limits, shortage, handles.areUsable());
        adopt(rootFd, status);
    }

    Inode root() {
        return inodes.get(ROOT);
    }

    /** Opens the backing's root for reading. */
    int openRoot() throws ErrnoException {
        return root().reopen(OpenFlags.O_RDONLY | OpenFlags.O_DIRECTORY);
    }

    /** The inode behind a number that the kernel sent. */
    Inode get(long number) throws ErrnoException {
        Inode inode = inodes.get(number);
        if (inode == null) {
            throw new ErrnoException(Errno.ESTALE, "the kernel named unknown inode " + number);
        }
        return inode;
    }

    /** Finds a name and counts a reference to its inode; null if the name does not exist. */
    Inode lookup(Inode parent, byte[] name) throws ErrnoException {
        if (hidden.contain(parent, name)) {
            return null;
        }
        int fd;
        try (PathDescriptor directory = parent.path()) {
            fd = Posix.tryOpenAt(directory.fd(), name, OpenFlags.O_PATH | OpenFlags.O_NOFOLLOW);
        }
        if (fd == -Errno.ENOENT) {
            return null;
        }
        if (fd < 0) {
            throw new ErrnoException(-fd, "lookup: " + Errno.describe(-fd));
        }
        Inode inode = adopt(fd);
        named(inode, parent, name);
        return inode;
    }

    /** Remembers a name of an inode, if that may be needed to get rid of its descriptor. */
    void named(Inode inode, Inode parent, byte[] name) {
        boolean canReopen =
                handles.areUsable()
                        && fileIds.isOnRootFilesystem(inode.key().device())
                        && inode.key().birthNanos() != 0;
        if (!canReopen && !inode.isDirectory()) {
            inode.setForgettableName(new KnownName(parent.number(), name));
        }
    }

    /** Waits until descriptors are short; the names that the kernel should forget then. */
    List<KnownName> awaitIdleNames() {
        return idleNames.await();
    }

    /** Ends the waiting for names to forget, for good. */
    void stopForgetting() {
        shortage.stop();
    }

    /** Counts a reference to the inode behind an O_PATH descriptor, and takes the descriptor. */
    Inode adopt(int pathFd) throws ErrnoException {
        FileStatus status;
        try {
            status = Posix.status(pathFd);
        } catch (ErrnoException e) {
            InodeHandles.closeQuietly(pathFd);
            throw e;
        }
        return adopt(pathFd, status);
    }

    private Inode adopt(int pathFd, FileStatus status) throws ErrnoException {
        InodeKey key = InodeKey.of(status);
        boolean taken = false;
        try {
            Inode inode = referToKnown(key);
            if (inode == null) {
                descriptors.requireRoom();
                inode = referTo(pathFd, status, key);
            } else {
                descriptors.makeRoom();
            }
            taken = inode.pathState().install(pathFd);
            if (taken) {
                descriptors.added(inode.pathState());
            }
            return inode;
        } finally {
            if (!taken) {
                InodeHandles.closeQuietly(pathFd);
            }
        }
    }

    /** Counts a reference to the inode of a file, if the kernel knows it; else null. */
    synchronized Inode referTo(FileId id) {
        for (long device : fileIds.devicesOf(id)) {
            Inode inode = referToKnown(new InodeKey(device, id.inode(), id.generation()));
            if (inode != null) {
                return inode;
            }
        }
        return null;
    }

    /** Which file a descriptor leads to. */
    FileId fileIdOf(int fd) throws ErrnoException {
        return fileIds.of(fd, Posix.status(fd));
    }

    InodeHandles handles() {
        return handles;
    }

    private synchronized Inode referToKnown(InodeKey key) {
        Inode inode = byKey.get(key);
        if (inode != null) {
            inode.references++;
        }
        return inode;
    }

    private synchronized Inode referTo(int pathFd, FileStatus status, InodeKey key)
            throws ErrnoException {
        Inode inode = referToKnown(key);
        if (inode == null) {
            FileId fileId = fileIds.of(pathFd, status);
            int number = inodes.reserve();
            PathDescriptor path = new PathDescriptor(descriptors, handles, key);
            inode = new Inode(number, nextGeneration(number), path, status, fileId);
            inode.references = 1;
            inodes.set(number, inode);
            byKey.put(key, inode);
        }
        return inode;
    }

    @GuardedBy("this")
    private int nextGeneration(int number) {
        if (number >= generations.length) {
            generations = Arrays.copyOf(generations, Math.max(number + 1, number * 2));
        }
        return ++generations[number];
    }

    /** Fails with ENFILE when there would be no descriptor for one more inode. */
    void requireRoom() throws ErrnoException {
        descriptors.requireRoom();
    }

    /** Takes back references; the last one closes the inode. */
    void forget(Inode inode, long count) {
        boolean gone;
        synchronized (this) {
            inode.references -= count;
            assert inode.references >= 0 : "inode " + inode.number() + " forgotten too often";
            gone = inode.references == 0;
            if (gone) {
                byKey.remove(inode.key());
                inodes.remove(inode.number());
            }
        }
        if (gone) {
            inode.pathState().end();
        }
    }

    /** How many descriptors the inodes have at the moment. */
    int descriptorCount() {
        return descriptors.held();
    }

    /** How many inodes the kernel knows. */
    synchronized int size() {
        return byKey.size();
    }

    /** Closes every descriptor; nothing may be asked for afterwards. */
    synchronized void close() {
        for (Inode inode : byKey.values()) {
            inode.pathState().end();
            inodes.remove(inode.number());
        }
        byKey.clear();
        handles.close();
    }
}
