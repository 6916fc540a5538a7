package org.ssdcache.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.ssdcache.cache.FileCache;
import org.ssdcache.cache.ReadReply;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/**
 * The filesystem as the kernel sees it, in terms of inodes and handles.
 *
 * <p>Names are single components with a final NUL. An inode that is returned by lookup, mkdir,
 * mknod, symlink, link or create carries a reference that {@link #forget} takes back; the arguments
 * of a call stay referenced by the kernel while it runs. All methods may be called by many threads.
 */
public final class FileSystem {
    private static final byte[] ACCESS_LIST = Posix.name("system.posix_acl_access");
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    private static final int ZERO_RANGE = 16;

    private final FileCache cache;
    private final FileSystemOptions options;
    private final HiddenNames hidden;
    private final InodeTable inodes;
    private final OpenFiles openFiles;
    private final Namespace namespace;
    private final Attributes attributes;
    private final FileFinder finder;
    private final ShownAttributes shown;
    private final Slab<FileHandle> files = new Slab<>(0);
    private final Slab<DirectoryHandle> directories = new Slab<>(0);

    /**
     * Serves the directory behind a descriptor.
     *
     * @param rootFd the backing directory, opened O_PATH or O_RDONLY; belongs to this object now
     */
    public FileSystem(int rootFd, FileCache cache, FileSystemOptions options)
            throws ErrnoException {
        this(rootFd, cache, options, DescriptorLimits.ofProcess());
    }

    /** As above, with other limits than the process's own. */
    public FileSystem(
            int rootFd, FileCache cache, FileSystemOptions options, DescriptorLimits limits)
            throws ErrnoException {
        this.cache = cache;
        this.options = options;
        this.hidden = new HiddenNames(options.rootGuard());
        this.inodes = new InodeTable(rootFd, limits, hidden);
        this.openFiles = new OpenFiles(cache, options.inPlace());
        NameMoves moves = new NameMoves();
        this.namespace = new Namespace(inodes, openFiles, moves, hidden);
        this.finder = new FileFinder(inodes, moves);
        this.attributes = new Attributes(cache, openFiles, options.rootGuard());
        this.shown = new ShownAttributes(cache, options.rootGuard());
    }

    /** To be called once by every thread that will call the methods below. */
    public static void prepareThread() throws ErrnoException {
        CallerIdentity.prepareThread();
    }

    public FileSystemOptions options() {
        return options;
    }

    /** Finds files without a name, until this is closed. */
    public FileFinder finder() {
        return finder;
    }

    // ---- inodes

    /** The inode behind the number that the kernel uses; 1 is the root. */
    public Inode inode(long number) throws ErrnoException {
        return inodes.get(number);
    }

    /** Finds a name; null if it does not exist. */
    public Inode lookup(Inode parent, byte[] name) throws ErrnoException {
        return inodes.lookup(parent, name);
    }

    public void forget(Inode inode, long count) {
        inodes.forget(inode, count);
    }

    /** How many inodes the kernel knows. */
    public int inodeCount() {
        return inodes.size();
    }

    /** How many descriptors these inodes have at the moment. */
    public int descriptorCount() {
        return inodes.descriptorCount();
    }

    /**
     * Waits until inodes have too many descriptors that cannot be closed, and chooses names that
     * the kernel should forget. To be called by one thread, which holds no lock.
     *
     * @return no names after {@link #stopForgetting}
     */
    public List<KnownName> awaitIdleNames() {
        return inodes.awaitIdleNames();
    }

    /** Ends {@link #awaitIdleNames}, for good. */
    public void stopForgetting() {
        inodes.stopForgetting();
    }

    // ---- attributes

    public FileStatus getattr(Inode inode) throws ErrnoException {
        return shown.of(inode);
    }

    public FileStatus setattr(Inode inode, AttributeChange change) throws IOException {
        attributes.set(inode, change);
        return shown.of(inode);
    }

    /** Fills a struct statvfs at the address. */
    public void statfs(Inode inode, long result) throws ErrnoException {
        try (PathDescriptor path = inode.path()) {
            Posix.fstatvfs(path.fd(), result);
        }
    }

    /** The target of a symbolic link, with a final NUL. */
    public byte[] readlink(Inode inode) throws ErrnoException {
        try (PathDescriptor path = inode.path()) {
            return Posix.readLink(path.fd());
        }
    }

    // ---- names

    public Inode mknod(Inode parent, byte[] name, int mode, long device, Caller caller)
            throws ErrnoException {
        return namespace.mknod(parent, name, mode, device, caller);
    }

    public Inode mkdir(Inode parent, byte[] name, int mode, Caller caller) throws ErrnoException {
        return namespace.mkdir(parent, name, mode, caller);
    }

    public Inode symlink(byte[] target, Inode parent, byte[] name, Caller caller)
            throws ErrnoException {
        return namespace.symlink(target, parent, name, caller);
    }

    public Inode link(Inode inode, Inode parent, byte[] name) throws ErrnoException {
        return namespace.link(inode, parent, name);
    }

    public void unlink(Inode parent, byte[] name) throws ErrnoException {
        namespace.unlink(parent, name);
    }

    public void rmdir(Inode parent, byte[] name) throws ErrnoException {
        namespace.rmdir(parent, name);
    }

    public void rename(Inode parent, byte[] name, Inode newParent, byte[] newName)
            throws ErrnoException {
        namespace.rename(parent, name, newParent, newName);
    }

    // ---- regular files

    /**
     * Opens a regular file.
     *
     * @param flags of open(2); only the access mode counts, since appending, direct I/O and
     *     synchronous writes are the kernel's business above the mount
     */
    public OpenResult open(Inode inode, int flags) throws IOException {
        boolean keepPages = openFiles.open(inode, flags & OpenFlags.O_ACCMODE);
        return new OpenResult(inode, addHandle(inode), keepPages);
    }

    /** Makes a regular file and opens it. */
    public OpenResult create(Inode parent, byte[] name, int mode, int flags, Caller caller)
            throws IOException {
        hidden.refuse(parent, name);
        inodes.requireRoom();
        int create =
                OpenFlags.O_CREAT
                        | OpenFlags.O_RDWR
                        | OpenFlags.O_NOFOLLOW
                        | (flags & OpenFlags.O_EXCL);
        int fd;
        try (PathDescriptor directory = parent.path()) {
            fd =
                    CallerIdentity.call(
                            caller, () -> Posix.openAt(directory.fd(), name, create, mode));
        }
        Inode inode = inodeOf(fd);
        inodes.named(inode, parent, name);
        inode.names().changed();
        try {
            openFiles.openCreated(inode, fd);
        } catch (IOException | RuntimeException e) {
            inodes.forget(inode, 1);
            throw e;
        }
        return new OpenResult(inode, addHandle(inode), true);
    }

    /** The inode of a descriptor, which stays open. */
    private Inode inodeOf(int fd) throws ErrnoException {
        try {
            return inodes.adopt(Posix.reopen(fd, OpenFlags.O_PATH));
        } catch (ErrnoException e) {
            Posix.close(fd);
            throw e;
        }
    }

    private int addHandle(Inode inode) {
        return files.add(new FileHandle(inode, inode.open().cached()));
    }

    private FileHandle handle(long number) throws ErrnoException {
        FileHandle handle = files.get(number);
        if (handle == null) {
            throw new ErrnoException(Errno.EBADF, "the kernel named unknown handle " + number);
        }
        return handle;
    }

    /** Reads through the cache; the reply is delivered before the cache is filled. */
    public void read(long handle, long offsetBytes, int lengthBytes, int task, ReadReply reply)
            throws IOException {
        cache.read(handle(handle).cached(), offsetBytes, lengthBytes, task, reply);
    }

    public void write(long handle, ByteBuffer source, long offsetBytes, int task)
            throws IOException {
        cache.write(handle(handle).cached(), source, offsetBytes, task);
    }

    /** A name is made durable by a sync of everything only. */
    public void fsync(long handle, boolean dataOnly) throws IOException {
        FileHandle file = handle(handle);
        NameChanges names = file.inode().names();
        long nameCount = names.count();
        boolean nameDurable = names.areDurable(nameCount);
        try {
            cache.sync(file.cached(), dataOnly, nameDurable);
        } catch (IOException e) {
            file.failureReported();
            throw e;
        }
        names.durable(nameCount);
        file.checkEarlierSyncs();
    }

    /** fallocate(2) with what a database uses: allocate, punch hole, zero range. */
    public void fallocate(long handle, int mode, long offsetBytes, long lengthBytes)
            throws IOException {
        if (!isSupported(mode)) {
            throw new ErrnoException(Errno.EOPNOTSUPP, "fallocate mode " + mode);
        }
        cache.allocate(handle(handle).cached(), mode, offsetBytes, lengthBytes);
    }

    private static boolean isSupported(int mode) {
        return mode == 0
                || mode == KEEP_SIZE
                || mode == (PUNCH_HOLE | KEEP_SIZE)
                || mode == ZERO_RANGE
                || mode == (ZERO_RANGE | KEEP_SIZE);
    }

    /** A close(2), of which one handle may see several. Tells of blocks that could not go home. */
    public void flush(long handle) throws IOException {
        FileHandle file = handle(handle);
        if (file.cached().takeEmptied()) {
            // Written anew from its beginning: the same as a rename over the old file.
            openFiles.secure(file.inode());
        }
        if (!options.inPlace()) {
            cache.flushed(file.cached());
        }
        file.checkEarlierSyncs();
    }

    /** The handle's end. */
    public void release(long handle) throws IOException {
        FileHandle file = handle(handle);
        files.remove((int) handle);
        openFiles.release(file.inode());
    }

    // ---- directories

    public int opendir(Inode inode) throws ErrnoException {
        return directories.add(new DirectoryHandle(inode));
    }

    public void readdir(long handle, long offset, DirectorySink sink) throws ErrnoException {
        DirectoryHandle directory = directory(handle);
        directory.read(offset, hidden.filter(directory, sink));
    }

    public void fsyncdir(long handle, boolean dataOnly) throws ErrnoException {
        directory(handle).sync(dataOnly);
    }

    public void releasedir(long handle) throws ErrnoException {
        DirectoryHandle directory = directory(handle);
        directories.remove((int) handle);
        directory.close();
    }

    private DirectoryHandle directory(long number) throws ErrnoException {
        DirectoryHandle directory = directories.get(number);
        if (directory == null) {
            throw new ErrnoException(Errno.EBADF, "the kernel named unknown handle " + number);
        }
        return directory;
    }

    // ---- extended attributes

    public void setxattr(Inode inode, byte[] name, long value, long lengthBytes, int flags)
            throws ErrnoException {
        refuseAccessListOfLockedRoot(inode, name);
        try (PathDescriptor path = inode.path()) {
            openFiles.change(
                    inode, () -> Posix.setXattr(path.fd(), name, value, lengthBytes, flags));
        }
    }

    /** An access control list brings permission bits of its own, which would unlock the root. */
    private void refuseAccessListOfLockedRoot(Inode inode, byte[] name) throws ErrnoException {
        if (inode.isRoot() && options.rootGuard().isLocked() && Arrays.equals(name, ACCESS_LIST)) {
            throw new ErrnoException(
                    Errno.EBUSY,
                    "the root's access control list cannot change while the cache is dirty");
        }
    }

    /** Stores a value at the address, and returns its length; asks only for it with length 0. */
    public int getxattr(Inode inode, byte[] name, long value, int lengthBytes)
            throws ErrnoException {
        try (PathDescriptor path = inode.path()) {
            return Posix.getXattr(path.fd(), name, value, lengthBytes);
        }
    }

    /** Stores names, each with a NUL, at the address, and returns their length together. */
    public int listxattr(Inode inode, long list, int lengthBytes) throws ErrnoException {
        try (PathDescriptor path = inode.path()) {
            return Posix.listXattr(path.fd(), list, lengthBytes);
        }
    }

    public void removexattr(Inode inode, byte[] name) throws ErrnoException {
        refuseAccessListOfLockedRoot(inode, name);
        try (PathDescriptor path = inode.path()) {
            openFiles.change(inode, () -> Posix.removeXattr(path.fd(), name));
        }
    }

    // ---- end

    /**
     * Ends what the kernel no longer can: gives back handles that are still open, then every inode.
     * To be called when the session has ended and no thread is inside.
     */
    public void close() throws IOException {
        for (int number = 0; number < files.highestUsed(); number++) {
            if (files.get(number) != null) {
                release(number);
            }
        }
        for (int number = 0; number < directories.highestUsed(); number++) {
            if (directories.get(number) != null) {
                releasedir(number);
            }
        }
        finder.close();
        inodes.close();
    }
}
