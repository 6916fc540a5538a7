package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

/**
 * The socket and the lock of one mountpoint. The kernel drops the lock with the process, so a held
 * lock means a living daemon, also when it does not answer.
 */
public final class RuntimeFiles {
    private final Path directory;
    private final String name;

    RuntimeFiles(Path directory, Path mountpoint) {
        this.directory = directory;
        this.name = MountName.of(mountpoint);
    }

    /** Those of a mount this process is going to make. */
    static RuntimeFiles of(SystemPaths paths, Path mountpoint) throws RefusedException {
        return new RuntimeFiles(paths.runtimeDirectory(), mountpoint);
    }

    /** Those of a mount that exists, whoever made it. */
    public static RuntimeFiles of(SystemPaths paths, MountTable.Entry mount)
            throws RefusedException {
        RuntimeFiles last = null;
        for (Path directory : paths.runtimeDirectoriesOf(mount.userId())) {
            last = new RuntimeFiles(directory, mount.mountpoint());
            if (Files.exists(last.socket())) {
                return last;
            }
        }
        return last;
    }

    public Path socket() {
        return directory.resolve(name + ".sock");
    }

    private Path lockFile() {
        return directory.resolve(name + ".lock");
    }

    /** Whether a daemon lives that serves this mountpoint. */
    public boolean daemonLives() throws IOException {
        if (!Files.exists(lockFile())) {
            return false;
        }
        Optional<HeldLock> lock = HeldLock.tryTake(lockFile());
        if (lock.isPresent()) {
            lock.get().close();
        }
        return lock.isEmpty();
    }

    /**
     * Removes the socket that a dead daemon left behind; a living one keeps its own. The lock
     * stays: a file that is removed while somebody opens it would be two locks.
     */
    void removeStaleSocket() throws IOException {
        if (!Files.exists(socket())) {
            return;
        }
        Optional<HeldLock> lock = HeldLock.tryTake(lockFile());
        if (lock.isPresent()) {
            try (HeldLock held = lock.get()) {
                Files.deleteIfExists(socket());
            }
        }
    }

    /**
     * Makes this process the one that serves the mountpoint.
     *
     * @return empty when another one is
     */
    Optional<HeldLock> take() throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        return HeldLock.tryTake(lockFile());
    }

    /** A lock that lasts as long as the process, or until closed. */
    record HeldLock(FileChannel channel) implements java.io.Closeable {
        static Optional<HeldLock> tryTake(Path file) throws IOException {
            FileChannel channel =
                    FileChannel.open(
                            file,
                            java.util.Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            FileLock lock = null;
            try {
                lock = channel.tryLock();
            } catch (OverlappingFileLockException e) {
                lock = null; // this process holds it by another channel
            } finally {
                if (lock == null) {
                    channel.close();
                }
            }
            return lock == null ? Optional.empty() : Optional.of(new HeldLock(channel));
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
