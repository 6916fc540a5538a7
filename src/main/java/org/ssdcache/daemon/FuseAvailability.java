package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountSession;

/** Whether this machine can mount: the kernel's device and libfuse 2. */
final class FuseAvailability {
    private static final String LIBRARY = "libfuse.so.2";
    private static final List<String> LIBRARY_DIRECTORIES =
            List.of(
                    "/usr/lib/x86_64-linux-gnu",
                    "/usr/lib/aarch64-linux-gnu",
                    "/lib/x86_64-linux-gnu",
                    "/lib/aarch64-linux-gnu",
                    "/usr/lib64",
                    "/lib64",
                    "/usr/lib",
                    "/lib",
                    "/usr/local/lib");

    private final Path device;
    private final BooleanSupplier libraryLoads;

    FuseAvailability(Path device, BooleanSupplier libraryLoads) {
        this.device = device;
        this.libraryLoads = libraryLoads;
    }

    static FuseAvailability ofThisMachine() {
        return new FuseAvailability(Path.of("/dev/fuse"), FuseAvailability::libraryLoads);
    }

    void check() throws RefusedException {
        try (FileChannel opened =
                FileChannel.open(device, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (!opened.isOpen()) {
                throw new IllegalStateException("an open channel is not open");
            }
        } catch (NoSuchFileException e) {
            throw new RefusedException(
                    ExitCode.FUSE_MISSING,
                    device
                            + " is missing: load the kernel module with \"modprobe fuse\", or give"
                            + " the container the device (docker: --device /dev/fuse --cap-add"
                            + " SYS_ADMIN).",
                    e);
        } catch (IOException e) {
            throw new RefusedException(
                    ExitCode.PERMISSION,
                    String.format(
                            "%s cannot be opened (%s): run as root, or let your user or container"
                                    + " use the device.",
                            device, Directories.reason(e)),
                    e);
        }
        if (!libraryLoads.getAsBoolean()) {
            throw new RefusedException(
                    ExitCode.FUSE_MISSING,
                    LIBRARY
                            + " is missing: install the package libfuse2 (libfuse2t64 on Debian 13"
                            + " and Ubuntu 24.04 and later, fuse-libs on Fedora).");
        }
    }

    /** Looks in the usual places first, because loading takes a third of a second. */
    private static boolean libraryLoads() {
        for (String directory : LIBRARY_DIRECTORIES) {
            if (Files.exists(Path.of(directory, LIBRARY))) {
                return true;
            }
        }
        return MountSession.isLibraryInstalled();
    }
}
