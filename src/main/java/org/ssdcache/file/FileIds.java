package org.ssdcache.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ssdcache.block.FileId;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.Posix;

/** Gives files of a backing directory their identity. */
public final class FileIds {
    private final long rootDevice;

    /** f_fsid by st_dev, of filesystems mounted below the backing's root. */
    @GuardedBy("this")
    private final Map<Long, Long> filesystemIds = new HashMap<>();

    /**
     * @param root what the backing directory's root is like
     */
    public FileIds(FileStatus root) {
        this.rootDevice = root.device();
    }

    /** Whether the file lies on the filesystem of the backing directory's root. */
    boolean isOnRootFilesystem(long device) {
        return device == rootDevice;
    }

    /** The numbers, {@code st_dev}, of the filesystems on which the file may be. */
    synchronized List<Long> devicesOf(FileId id) {
        if (id.device() == 0) {
            return List.of(rootDevice);
        }
        return filesystemIds.entrySet().stream()
                .filter(filesystem -> filesystem.getValue() == id.device())
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * The identity of the file behind a descriptor.
     *
     * @param status what {@link Posix#status} says of it
     */
    public synchronized FileId of(int fd, FileStatus status) throws ErrnoException {
        return new FileId(deviceOf(fd, status), status.inode(), status.birthNanos());
    }

    @GuardedBy("this")
    private long deviceOf(int fd, FileStatus status) throws ErrnoException {
        if (isOnRootFilesystem(status.device())) {
            return 0;
        }
        Long known = filesystemIds.get(status.device());
        if (known == null) {
            known = Posix.filesystemId(fd);
            filesystemIds.put(status.device(), known);
        }
        return known;
    }
}
