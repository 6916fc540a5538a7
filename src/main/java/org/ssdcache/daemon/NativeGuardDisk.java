package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.ssdcache.io.AtomicFile;
import org.ssdcache.io.DirectBuffers;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.NativeBlockFile;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/**
 * The real disks. The backing directory is reached by its descriptor only: over its path there may
 * be the mount itself.
 */
final class NativeGuardDisk implements GuardDisk {
    private static final byte[] MARKER = Posix.name(DirtyMarker.NAME);
    private static final byte[] FRESH = Posix.name(DirtyMarker.NAME + ".new");
    private static final int READABLE_BY_ALL = 0644;
    private static final int MAX_MARKER_BYTES = 1 << 16;

    /** Opening a FIFO for reading must not wait for a writer. */
    private static final int O_NONBLOCK = 0x800;

    private final int root;
    private final Path record;

    /**
     * @param root descriptor of the backing directory, open for reading; belongs to this object now
     * @param record the file in the cache directory
     */
    NativeGuardDisk(int root, Path record) {
        this.root = root;
        this.record = record;
    }

    @Override
    public int mode() throws IOException {
        return Posix.status(root).permissions();
    }

    @Override
    public void setMode(int permissions) throws IOException {
        Posix.chmod(root, permissions);
    }

    /** What is no regular file, or too long, is no marker of ours, and has a text that says so. */
    @Override
    public Optional<String> marker() throws IOException {
        int fd =
                Posix.tryOpenAt(
                        root, MARKER, OpenFlags.O_RDONLY | OpenFlags.O_NOFOLLOW | O_NONBLOCK);
        if (fd == -Errno.ENOENT) {
            return Optional.empty();
        }
        if (fd == -Errno.ELOOP) {
            return Optional.of("a symbolic link");
        }
        if (fd < 0) {
            throw new ErrnoException(-fd, DirtyMarker.NAME + ": " + Errno.describe(-fd));
        }
        try (NativeBlockFile file = new NativeBlockFile(fd, DirtyMarker.NAME)) {
            if (!Posix.status(fd).isRegular()) {
                return Optional.of("not a file");
            }
            ByteBuffer text = DirectBuffers.allocateAligned(MAX_MARKER_BYTES);
            int lengthBytes = file.read(text, 0);
            return Optional.of(
                    StandardCharsets.UTF_8.decode(text.flip().limit(lengthBytes)).toString());
        }
    }

    /** Never into a file that is there already: somebody else may have made it. */
    @Override
    public void replaceMarker(String text) throws IOException {
        removeIfThere(FRESH);
        int flags =
                OpenFlags.O_WRONLY | OpenFlags.O_CREAT | OpenFlags.O_EXCL | OpenFlags.O_NOFOLLOW;
        int fd = Posix.openAt(root, FRESH, flags, READABLE_BY_ALL);
        try (NativeBlockFile file = new NativeBlockFile(fd, DirtyMarker.NAME)) {
            // Whatever the umask of the calling thread is.
            Posix.chmod(fd, READABLE_BY_ALL);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            file.write(DirectBuffers.allocateAligned(bytes.length).put(bytes).flip(), 0);
            file.sync();
        }
        Posix.renameAt(root, FRESH, root, MARKER);
    }

    @Override
    public void removeMarker() throws IOException {
        removeIfThere(FRESH);
        removeIfThere(MARKER);
    }

    private void removeIfThere(byte[] name) throws ErrnoException {
        try {
            Posix.unlinkAt(root, name, 0);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
    }

    @Override
    public void syncBacking() throws IOException {
        Posix.fsync(root);
    }

    @Override
    public Optional<String> record() throws IOException {
        return recordIn(record);
    }

    /** The text of a record that may not be there. */
    static Optional<String> recordIn(Path file) throws IOException {
        try {
            return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    @Override
    public void replaceRecord(String text) throws IOException {
        AtomicFile.replace(record, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void removeRecord() throws IOException {
        if (Files.deleteIfExists(record)) {
            AtomicFile.syncDirectory(record.toAbsolutePath().getParent());
        }
    }

    @Override
    public void close() throws IOException {
        Posix.close(root);
    }
}
