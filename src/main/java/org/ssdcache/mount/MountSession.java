package org.ssdcache.mount;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import jnr.ffi.LibraryLoader;
import org.ssdcache.file.FileSystem;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.NativeMemory;
import org.ssdcache.io.Posix;

/**
 * A mount, from mount(2) until the kernel has ended it.
 *
 * <p>Threads of the JVM take requests from the kernel and hand them to libfuse, since threads that
 * libfuse makes itself would be attached to the JVM anew with every request. The session ends when
 * somebody unmounts: {@link #unmount}, umount(8) or fusermount; there is no other way to make the
 * threads return.
 */
public final class MountSession {
    private static final String LIBRARY = "libfuse.so.2";

    /** FUSE_CAP_DONT_MASK: the umask is applied here, where a default ACL can take its place. */
    private static final int DONT_MASK = 1 << 6;

    /** Enough that a listener rarely has to be woken, few enough that each stays warm. */
    private static final int LISTENERS = 4;

    // dependencies
    private final LibFuse fuse;
    private final FileSystem files;
    private final MountOptions options;

    // constant
    private final OperationTable operations = new OperationTable();
    private final Requests requests;
    private final Path mountpointPath;
    private final byte[] mountpoint;
    private final long channel;
    private final long session;
    private final int mountId;

    private final AtomicBoolean served = new AtomicBoolean();

    private MountSession(LibFuse fuse, FileSystem files, MountOptions options) throws IOException {
        this.fuse = fuse;
        this.files = files;
        this.options = options;
        this.requests = new Requests(fuse);
        // The mount table knows no symbolic links.
        this.mountpointPath = Path.of(options.mountpoint()).toRealPath();
        this.mountpoint = Posix.name(mountpointPath.toString());
        registerOperations();
        long arguments = arguments("ssdcache", "-o", options.toLibFuse());
        this.channel = fuse.fuse_mount(mountpoint, arguments);
        if (channel == 0) {
            throw new IOException("libfuse could not mount over " + mountpointPath);
        }
        this.session =
                fuse.fuse_lowlevel_new(arguments, operations.address(), OperationTable.BYTES, 0);
        if (session == 0) {
            fuse.fuse_unmount(mountpoint, channel);
            throw new IOException("libfuse refused the options " + options.toLibFuse());
        }
        fuse.fuse_session_add_chan(session, channel);
        this.mountId = currentMount().map(MountTable.Entry::id).orElse(-1);
    }

    /**
     * Mounts. The kernel mount exists on return and answers as soon as {@link #serve} runs.
     *
     * @throws IOException if libfuse is missing or the kernel refuses; libfuse says why on stderr
     */
    public static MountSession mount(FileSystem files, MountOptions options) throws IOException {
        return new MountSession(loadLibrary(), files, options);
    }

    /** Whether libfuse can be loaded, wherever the system keeps it. */
    public static boolean isLibraryInstalled() {
        try {
            loadLibrary();
            return true;
        } catch (IOException missing) {
            return false;
        }
    }

    private static LibFuse loadLibrary() throws IOException {
        try {
            return LibraryLoader.create(LibFuse.class).failImmediately().load(LIBRARY);
        } catch (UnsatisfiedLinkError e) {
            throw new IOException(
                    LIBRARY + " is missing; install the package libfuse2 or libfuse2t64", e);
        }
    }

    private void registerOperations() {
        Timeouts timeouts = Timeouts.of(files.options().inPlace());
        operations.set(OperationTable.INIT, Callback.Of2.class, this::init);
        new NameOperations(files, timeouts).register(operations, requests);
        new AttributeOperations(files, timeouts).register(operations, requests);
        new FileOperations(files, timeouts).register(operations, requests);
        new DirectoryOperations(files).register(operations, requests);
        if (options.xattr()) {
            new XattrOperations(files).register(operations, requests);
        }
    }

    private void init(long userData, long connection) {
        FuseLayout.want(connection, DONT_MASK);
        FuseLayout.limitReadahead(connection, MountOptions.MAX_TRANSFER_BYTES);
    }

    /** A struct fuse_args of arguments that libfuse does not change. */
    private static long arguments(String... arguments) {
        long vector = NativeMemory.allocateForever(Long.BYTES * (arguments.length + 1));
        for (int i = 0; i < arguments.length; i++) {
            byte[] bytes = Posix.name(arguments[i]);
            long copy = NativeMemory.allocateForever(bytes.length);
            NativeMemory.putBytes(copy, bytes);
            NativeMemory.putLong(vector + (long) Long.BYTES * i, copy);
        }
        long args = NativeMemory.allocateForever(FuseLayout.ARGS_BYTES);
        NativeMemory.putInt(args, arguments.length);
        NativeMemory.putLong(args + 8, vector);
        return args;
    }

    /** Serves requests until the kernel ends the session, then frees it. To be called once. */
    public void serve() {
        if (served.getAndSet(true)) {
            throw new IllegalStateException("the session has been served already");
        }
        ListenerGate gate = new ListenerGate(LISTENERS);
        List<Thread> workers = new ArrayList<>();
        for (int i = 1; i <= options.threads(); i++) {
            Thread worker = new Thread(new Worker(fuse, gate, session, channel), "fuse-" + i);
            worker.setDaemon(true);
            worker.start();
            workers.add(worker);
        }
        Thread forgetter = new Thread(new Forgetter(fuse, files, channel), "forgetter");
        forgetter.setDaemon(true);
        forgetter.start();
        for (Thread worker : workers) {
            join(worker);
        }
        files.stopForgetting();
        join(forgetter);
        fuse.fuse_session_remove_chan(channel);
        fuse.fuse_session_destroy(session);
        fuse.fuse_unmount(mountpoint, channel);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the thread that serves", e);
        }
    }

    /**
     * Asks the kernel to unmount; {@link #serve} returns when that has happened.
     *
     * @throws ErrnoException EBUSY while a file is open or a directory is in use, EINVAL if this
     *     mount is no longer the one at the mountpoint
     */
    public void unmount() throws IOException {
        if (currentMount().map(MountTable.Entry::id).orElse(-1) != mountId) {
            // Whatever is there now, perhaps the disk below, is not ours to unmount.
            throw new ErrnoException(Errno.EINVAL, mountpointPath + " is unmounted already");
        }
        if (Posix.effectiveUid() == 0) {
            Posix.umount(mountpointPath.toString());
        } else {
            unmountByHelper();
        }
    }

    private Optional<MountTable.Entry> currentMount() throws IOException {
        return MountTable.read().topAt(mountpointPath).filter(MountTable.Entry::isOurs);
    }

    private void unmountByHelper() throws IOException {
        Process helper =
                new ProcessBuilder("fusermount", "-u", "--", mountpointPath.toString())
                        .redirectErrorStream(true)
                        .start();
        helper.getOutputStream().close();
        String output = new String(helper.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = helper.onExit().join().exitValue();
        if (exit != 0) {
            int errno = output.contains("busy") ? Errno.EBUSY : Errno.EIO;
            throw new ErrnoException(errno, output.strip());
        }
    }
}
