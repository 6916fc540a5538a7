package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

/**
 * Everything that can be known to be wrong before a mount is begun. Changes nothing.
 *
 * <p>Run by the command, for a quick and clear answer, and again by the daemon, which may be
 * started later.
 */
public final class Preflight {
    private final SystemPaths paths;
    private final FuseAvailability fuse;
    private final Consumer<String> warnings;

    /**
     * Checks on this machine.
     *
     * @param warnings gets a sentence for what is allowed but hardly meant
     */
    public Preflight(SystemPaths paths, Consumer<String> warnings) {
        this(paths, FuseAvailability.ofThisMachine(), warnings);
    }

    Preflight(SystemPaths paths, FuseAvailability fuse, Consumer<String> warnings) {
        this.paths = paths;
        this.fuse = fuse;
        this.warnings = warnings;
    }

    /**
     * Checks a request and decides what it left open.
     *
     * @throws RefusedException with the sentence for the user
     */
    public MountPlan check(MountRequest request) throws IOException, RefusedException {
        DeadMount.refuseAt(request.mountpoint(), paths);
        Path backing = Directories.existing(request.backing(), "backing directory");
        Path mountpoint = Directories.existing(request.mountpoint(), "mountpoint");
        refuseMountAsBacking(backing);
        new NestedBackings(MountTable.read().entries(), mount -> DeadMount.isAlive(mount, paths))
                .refuse(backing);
        Path cache =
                Directories.future(
                        request.cache()
                                .orElseGet(
                                        () ->
                                                paths.cacheDirectory()
                                                        .resolve(MountName.of(backing))));
        Placement placement = new Placement(backing, mountpoint, cache);
        placement.check();
        new CachePlace(cache, warnings).check(MountTable.read());
        Optional<CacheProperties> existing = CacheContents.examine(cache);
        CacheShape shape = CacheShape.decide(request, cache, existing);
        fuse.check();
        warnOfSharedDisk(backing, cache);
        return MountPlan.of(
                request,
                backing,
                mountpoint,
                cache,
                shape,
                placement.outside(
                        "log", paths.logDirectory(), paths.runtimeDirectory().resolve("log")),
                placement.temporaryDirectory(MountTable.read(), paths.runtimeDirectory()));
    }

    private static void refuseMountAsBacking(Path backing) throws IOException, RefusedException {
        Optional<MountTable.Entry> mount = MountTable.read().holding(backing);
        if (mount.isPresent() && mount.get().isOurs()) {
            throw new RefusedException(
                    ExitCode.ALREADY_MOUNTED,
                    String.format(
                            "The backing directory %s is seen through an ssdcache mount (%s)"
                                    + " already; name the directory beneath.",
                            backing, mount.get().mountpoint()));
        }
    }

    private void warnOfSharedDisk(Path backing, Path cache) throws IOException {
        Path disk = Directories.nearestExisting(cache);
        if (Files.getAttribute(backing, "unix:dev").equals(Files.getAttribute(disk, "unix:dev"))) {
            warnings.accept(
                    String.format(
                            "The cache %s is on the same disk as the backing directory %s and"
                                    + " cannot be faster than that.",
                            cache, backing));
        }
    }
}
