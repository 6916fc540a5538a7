package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

/** Whether a directory is a good place for a cache: which filesystem it is on, who may write. */
final class CachePlace {
    private static final Set<String> NETWORK =
            Set.of(
                    "nfs",
                    "nfs4",
                    "cifs",
                    "smb3",
                    "smbfs",
                    "ncpfs",
                    "9p",
                    "afs",
                    "ceph",
                    "coda",
                    "fuse.ceph",
                    "fuse.glusterfs",
                    "fuse.rclone",
                    "fuse.s3fs",
                    "fuse.sshfs");

    private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs");

    private final Path cache;
    private final Consumer<String> warnings;

    /**
     * A place to check.
     *
     * @param cache a directory that need not exist
     * @param warnings gets a sentence for what is allowed but hardly meant
     */
    CachePlace(Path cache, Consumer<String> warnings) {
        this.cache = cache;
        this.warnings = warnings;
    }

    /** Refuses a place where a cache cannot work. */
    void check(MountTable mounts) throws IOException, RefusedException {
        Optional<MountTable.Entry> mount = mounts.holding(Directories.nearestExisting(cache));
        if (mount.isPresent()) {
            checkFilesystem(mount.get());
        }
        refuseUnwritable();
        warnOfOthers();
    }

    private void checkFilesystem(MountTable.Entry mount) throws RefusedException {
        if (NETWORK.contains(mount.type())) {
            throw new RefusedException(
                    ExitCode.UNSUPPORTED,
                    String.format(
                            "The cache %s is on a network filesystem (%s); choose a directory on a"
                                    + " local SSD.",
                            cache, mount.type()));
        }
        if (mount.options().contains("ro")) {
            throw new RefusedException(
                    ExitCode.CACHE_UNUSABLE,
                    String.format(
                            "The cache %s is on a filesystem that is mounted read-only at %s; choose"
                                    + " another directory, or remount that one. If its disk failed,"
                                    + " copy the directory to another disk with cp -a and name the"
                                    + " copy with --cache: what was not brought home is in it.",
                            cache, mount.mountpoint()));
        }
        if (MEMORY.contains(mount.type())) {
            warnings.accept(
                    String.format(
                            "The cache %s is in memory (%s) and is lost at a reboot, with what only"
                                    + " it holds in the mode writeback.",
                            cache, mount.type()));
        }
    }

    private void refuseUnwritable() throws RefusedException {
        Path there = Directories.nearestExisting(cache);
        if (!Files.isWritable(there)) {
            throw new RefusedException(
                    ExitCode.PERMISSION,
                    String.format("You may not write to %s, where the cache is to be.", there));
        }
    }

    /** The mode becomes 0700 with the mount; what was written before it is there. */
    private void warnOfOthers() throws IOException {
        if (!Files.isDirectory(cache)) {
            return;
        }
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(cache);
        if (mode.contains(PosixFilePermission.OTHERS_WRITE)
                || mode.contains(PosixFilePermission.GROUP_WRITE)) {
            warnings.accept(
                    String.format(
                            "Other users could write to the cache %s until now; remove it if you"
                                    + " do not trust them.",
                            cache));
        }
    }
}
