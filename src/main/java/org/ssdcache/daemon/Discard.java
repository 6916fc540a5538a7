package org.ssdcache.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ssdcache.block.FileId;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.AtomicFile;
import org.ssdcache.io.BootId;
import org.ssdcache.io.NativeBlockFile;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.mount.MountTable;
import org.ssdcache.store.BlockStore;

/**
 * Gives up, for good, the changes that a cache holds and its backing directory lacks, so that the
 * directory can be used without the cache. Holds both of them locked until it is closed.
 */
public final class Discard implements Closeable {
    private final Path path;
    private final BackingDirectory backing;
    private final DirtyMarker marker;
    private final Closings open = new Closings();

    /** The cache's directory, if it is there and still belongs to the backing directory. */
    private Optional<Path> cache = Optional.empty();

    private Losses losses;

    private Discard(Path path, BackingDirectory backing, DirtyMarker marker) {
        this.path = path;
        this.backing = backing;
        this.marker = marker;
    }

    /**
     * Looks what would be lost; changes nothing that counts.
     *
     * @return empty when no cache holds changes that the directory lacks
     */
    public static Optional<Discard> prepare(Path directory) throws IOException, RefusedException {
        Path path = Directories.existing(directory, "backing directory");
        refuseMounted(path);
        Optional<DirtyMarker> marker = DirtyMarker.in(path);
        if (marker.isEmpty()) {
            return Optional.empty();
        }
        BackingDirectory backing = BackingDirectory.open(path);
        Discard discard = new Discard(path, backing, marker.get());
        discard.open.add(backing);
        boolean done = false;
        try {
            discard.look();
            done = true;
            return Optional.of(discard);
        } finally {
            if (!done) {
                discard.close();
            }
        }
    }

    private static void refuseMounted(Path path) throws IOException, RefusedException {
        MountTable mounts = MountTable.read();
        boolean ofIt = mounts.ours().stream().anyMatch(m -> m.source().equals(path.toString()));
        if (ofIt || mounts.holding(path).filter(MountTable.Entry::isOurs).isPresent()) {
            throw new RefusedException(
                    ExitCode.ALREADY_MOUNTED,
                    String.format(
                            "%s is mounted; to take its cache away without losing anything:"
                                    + " ssdcache detach MOUNTPOINT",
                            path));
        }
    }

    private void look() throws IOException, RefusedException {
        Path directory = Path.of(marker.cache());
        try {
            CacheProperties properties =
                    CacheProperties.read(directory)
                            .orElseThrow(() -> new NoSuchFileException("there is none any more"));
            if (properties.backingId() != marker.backingId()
                    || !properties.identity().isSameDirectory(backing.identity())) {
                losses =
                        Losses.ofMarker(
                                marker.files(), directory + " is another directory's cache now");
                return;
            }
            lock(directory);
            cache = Optional.of(directory);
            losses = lossesOf(directory);
        } catch (IOException e) {
            losses = Losses.ofMarker(marker.files(), Directories.reason(e));
        }
    }

    private void lock(Path directory) throws IOException, RefusedException {
        Optional<RuntimeFiles.HeldLock> lock =
                RuntimeFiles.HeldLock.tryTake(directory.resolve(CacheContents.LOCK));
        if (lock.isEmpty()) {
            throw new RefusedException(
                    ExitCode.CACHE_BUSY,
                    String.format("A daemon uses the cache %s; unmount first.", directory));
        }
        open.add(lock.get());
    }

    private Losses lossesOf(Path directory) throws IOException {
        Path file = directory.resolve(CacheContents.STORE);
        try (BlockStore store =
                BlockStore.open(
                        NativeBlockFile.open(file.toString(), OpenFlags.O_RDWR, 0),
                        BootId.read())) {
            DirtyInventory inventory = new DirtyInventory(store.geometry().blockBytes());
            store.load(inventory);
            Map<FileId, List<DirtyInventory.Range>> ranges = inventory.ranges();
            return Losses.ofCache(
                    ranges, Losses.namesOf(ranges, visitor -> backing.walk("", visitor)));
        }
    }

    /** What would be lost. */
    public Losses losses() {
        return losses;
    }

    /** The directory that is given back to its users. */
    public Path backing() {
        return path;
    }

    /**
     * Does it. Interrupted at any point it can be done again, since the marker goes last.
     *
     * @return sentences that say what else is to be known
     */
    public List<String> carryOut() throws IOException {
        if (cache.isPresent()) {
            voidCache(cache.get());
        }
        try (GuardDisk disk =
                new NativeGuardDisk(
                        backing.openAgain(), Path.of(marker.cache(), CacheContents.GUARD))) {
            if (disk.mode() == 0) {
                disk.setMode(marker.mode());
            }
            disk.syncBacking();
            disk.removeMarker();
            disk.syncBacking();
        }
        return warnings();
    }

    /** Else a later mount would bring home, over newer data, what was given up. */
    private static void voidCache(Path directory) throws IOException {
        for (String name :
                List.of(
                        CacheContents.HISTORY,
                        CacheContents.INDEX_SEAL,
                        CacheContents.INDEX,
                        CacheProperties.file(directory).getFileName().toString(),
                        CacheContents.STORE,
                        CacheContents.GUARD)) {
            Files.deleteIfExists(directory.resolve(name));
        }
        AtomicFile.syncDirectory(directory);
    }

    private List<String> warnings() {
        return cache.isPresent()
                ? List.of()
                : List.of(
                        String.format(
                                "If the cache %s comes back, it still holds the changes; remove it"
                                        + " then.",
                                marker.cache()));
    }

    @Override
    public void close() {
        open.closeAll();
    }
}
