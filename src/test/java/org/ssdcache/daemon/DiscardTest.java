package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.BootId;
import org.ssdcache.io.NativeBlockFile;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.ThreadCapabilities;
import org.ssdcache.store.BlockStore;

class DiscardTest {
    private static final int[] SUMS = new int[4];

    @TempDir private Path root;
    private Path backing;
    private Path cache;

    @BeforeEach
    void directories() throws IOException {
        backing = Files.createDirectory(root.resolve("backing"));
        cache = root.resolve("cache");
        Files.createDirectory(backing.resolve("sub"));
        Files.writeString(backing.resolve("sub/file"), "old");
    }

    /** A cache with two dirty pages of sub/file and one of a file that has no name any more. */
    private void makeDirtyCache() throws IOException, RefusedException {
        Map<String, FileId> ids = new HashMap<>();
        try (BackingDirectory directory = BackingDirectory.open(backing)) {
            directory.walk("", ids::put);
            CacheDirectory.open(
                            Plans.of(backing, backing, cache),
                            directory.identity(),
                            StartupReport.NONE)
                    .close();
        }
        String store = cache.resolve(CacheContents.STORE).toString();
        BlockStore open =
                BlockStore.open(NativeBlockFile.open(store, OpenFlags.O_RDWR, 0), BootId.read());
        FileFacts facts = new FileFacts(3, 0, 0);
        open.fileDefined(1, ids.get("sub/file"), facts);
        open.fileDefined(2, new FileId(0, 1, 1), facts);
        for (int slot = 0; slot < 3; slot++) {
            open.writeSlot(slot, 0, ByteBuffer.allocateDirect(16384));
        }
        SUMS[0] = BlockStore.pageChecksum(ByteBuffer.allocateDirect(4096));
        SUMS[1] = SUMS[0];
        open.slotMapped(0, 1, 0, 0b11, 0b10, 0b11, SUMS);
        open.slotMapped(1, 1, 2, 0b11, 0b01, 0b11, SUMS);
        open.slotMapped(2, 2, 0, 0b11, 0b01, 0b11, SUMS);
        open.sync();
        open.close();
    }

    /** As the daemon leaves it; mode 0 would keep a test out that is not run by root. */
    private void lock(int mode) throws IOException {
        long backingId = 1;
        if (Files.exists(cache)) {
            backingId = properties().backingId();
        }
        DirtyMarker marker =
                new DirtyMarker(
                        cache.toString(),
                        backing.toString(),
                        backing.toString(),
                        mode,
                        backingId,
                        1);
        DirtyFiles files = new DirtyFiles(1_700_000_000, List.of("sub/file"), 2);
        Files.writeString(backing.resolve(DirtyMarker.NAME), marker.withFiles(files).text());
    }

    private CacheProperties properties() throws IOException {
        try {
            return CacheProperties.read(cache).orElseThrow();
        } catch (RefusedException e) {
            throw new IOException(e);
        }
    }

    private String mode() throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(backing));
    }

    private Discard prepare() throws IOException, RefusedException {
        return Discard.prepare(backing).orElseThrow();
    }

    @Test
    void nothingToDiscard() throws IOException, RefusedException {
        assertEquals(Optional.empty(), Discard.prepare(backing));
        RefusedException e =
                assertThrows(
                        RefusedException.class, () -> Discard.prepare(backing.resolve("none")));
        assertEquals(ExitCode.NO_SUCH_PATH, e.code());
    }

    @Test
    void theCacheSaysExactlyWhatIsLost() throws IOException, RefusedException {
        makeDirtyCache();
        lock(0755);
        try (Discard discard = prepare()) {
            assertEquals(
                    List.of(
                            "inode 1, which has no name: bytes 0-4095",
                            "sub/file: bytes 4096-8191,32768-36863"),
                    discard.losses().lines());
            assertTrue(discard.losses().source().startsWith("The cache can be read."));
        }
        assertTrue(Files.exists(backing.resolve(DirtyMarker.NAME)), "only looked at");
        try (Discard discard = prepare()) {
            assertEquals(2, discard.losses().lines().size(), "and can be looked at again");
        }
    }

    @Test
    void afterwardsTheDirectoryIsUsableAndTheCacheIsVoid() throws IOException, RefusedException {
        makeDirtyCache();
        lock(0755);
        try (Discard discard = prepare()) {
            assertEquals(List.of(), discard.carryOut());
        }
        assertFalse(Files.exists(backing.resolve(DirtyMarker.NAME)));
        assertEquals(Optional.empty(), CacheContents.examine(cache), "a new one can be made");
        assertEquals(Optional.empty(), Discard.prepare(backing));
    }

    @Test
    void theCacheIsLost() throws IOException, RefusedException {
        lock(0711);
        try (Discard discard = prepare()) {
            assertEquals(List.of("sub/file", "(and 2 more)"), discard.losses().lines());
            assertTrue(discard.losses().source().contains("At 2023-11-14T22:13:20Z"));
            List<String> warnings = discard.carryOut();
            assertTrue(warnings.get(0).contains("still holds the changes"), "" + warnings);
        }
    }

    @Test
    void aDamagedStoreIsALostCacheToo() throws IOException, RefusedException {
        makeDirtyCache();
        Files.write(cache.resolve(CacheContents.STORE), new byte[100]);
        lock(0700);
        try (Discard discard = prepare()) {
            assertEquals(List.of("sub/file", "(and 2 more)"), discard.losses().lines());
            assertEquals(List.of(), discard.carryOut(), "it is void, damaged or not");
        }
        assertEquals(Optional.empty(), CacheContents.examine(cache));
    }

    @Test
    void aCacheInUseIsNotTakenAway() throws IOException, RefusedException {
        makeDirtyCache();
        lock(0755);
        try (RuntimeFiles.HeldLock held =
                RuntimeFiles.HeldLock.tryTake(cache.resolve(CacheContents.LOCK)).orElseThrow()) {
            RefusedException e = assertThrows(RefusedException.class, this::prepare);
            assertEquals(ExitCode.CACHE_BUSY, e.code(), held.toString());
        }
        prepare().close();
    }

    @Test
    void aBackingInUseIsLeftAlone() throws IOException, RefusedException {
        lock(0755);
        try (BackingDirectory held = BackingDirectory.open(backing)) {
            RefusedException e = assertThrows(RefusedException.class, this::prepare);
            assertEquals(ExitCode.BACKING_BUSY, e.code());
            assertTrue(held.identity().inode() > 0);
        }
    }

    /** Only root can look into a directory of mode 0. */
    @Test
    void theTrueModeComesBack() throws IOException, RefusedException {
        assumeTrue(new ThreadCapabilities().overridePermissions());
        lock(0711);
        Files.setPosixFilePermissions(backing, Set.of());
        try (Discard discard = prepare()) {
            assertEquals(1, discard.carryOut().size());
        }
        assertEquals("rwx--x--x", mode());
    }
}
