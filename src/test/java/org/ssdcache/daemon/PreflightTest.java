package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountFlags;

/** Every refusal has its code, and nothing on disk is changed by it. */
class PreflightTest {
    private static final long USER = 1000;

    @TempDir private Path root;
    private Path top;
    private Path backing;
    private Path mountpoint;
    private Path cache;
    private Path device;
    private final List<String> warnings = new ArrayList<>();
    private BooleanSupplier libraryLoads = () -> true;

    @BeforeEach
    void directories() throws IOException {
        top = root.toRealPath();
        backing = Files.createDirectories(top.resolve("backing/sub")).getParent();
        mountpoint = Files.createDirectory(top.resolve("mountpoint"));
        cache = top.resolve("ssd/cache");
        Files.createDirectory(top.resolve("ssd"));
        Files.createDirectory(top.resolve("run"));
        device = Files.createFile(top.resolve("fuse-device"));
    }

    private Preflight preflight() {
        Map<String, String> environment =
                Map.of(
                        "XDG_RUNTIME_DIR", top.resolve("run").toString(),
                        "XDG_STATE_HOME", top.resolve("state").toString(),
                        "XDG_CACHE_HOME", top.resolve("caches").toString());
        SystemPaths paths = new SystemPaths(USER, environment, top);
        return new Preflight(paths, new FuseAvailability(device, libraryLoads), warnings::add);
    }

    private MountRequest request(Path from, Path at, Path with, long sizeBytes, int blockBytes) {
        return new MountRequest(
                from,
                at,
                Optional.ofNullable(with),
                sizeBytes == 0 ? OptionalLong.empty() : OptionalLong.of(sizeBytes),
                blockBytes == 0 ? OptionalInt.empty() : OptionalInt.of(blockBytes),
                CacheMode.WRITETHROUGH,
                0,
                CleanerSettings.DEFAULT,
                ConflictChoice.REFUSE,
                false,
                MountFlags.NONE);
    }

    private MountRequest request(Path from, Path at, Path with) {
        return request(from, at, with, 64L << 20, 0);
    }

    private void assertRefused(ExitCode code, MountRequest request) throws IOException {
        List<String> before = everything();
        RefusedException e = assertThrows(RefusedException.class, () -> preflight().check(request));
        assertEquals(code, e.code(), e.getMessage());
        assertTrue(e.getMessage().matches("(?s)[^\n]*[^\n]"), "one line: " + e.getMessage());
        assertEquals(before, everything());
    }

    private List<String> everything() throws IOException {
        try (Stream<Path> paths = Files.walk(top)) {
            return paths.map(Path::toString).sorted().toList();
        }
    }

    @Test
    void aGoodRequestIsPlanned() throws IOException, RefusedException {
        MountPlan plan = preflight().check(request(backing, mountpoint, cache));
        assertEquals(backing, plan.backing());
        assertEquals(cache, plan.cache());
        assertEquals(64L << 20, plan.sizeBytes());
        assertEquals(16 << 10, plan.blockBytes());
        assertEquals(top.resolve("state/ssdcache"), plan.logDirectory());
        assertEquals(1, warnings.size(), "cache and backing are on one disk here");
    }

    @Test
    void linksAreResolved() throws IOException, RefusedException {
        Path link = Files.createSymbolicLink(top.resolve("link"), backing);
        MountPlan plan = preflight().check(request(link, link, cache));
        assertEquals(backing, plan.mountpoint());
        assertTrue(plan.inPlace());
    }

    @Test
    void theDefaultCacheIsNamedAfterTheBackingAndATenthOfTheFreeSpace()
            throws IOException, RefusedException {
        long freeBytes = Files.getFileStore(top).getUsableSpace();
        MountPlan plan = preflight().check(request(backing, mountpoint, null, 0, 0));
        assertEquals(top.resolve("caches/ssdcache").resolve(MountName.of(backing)), plan.cache());
        long share = plan.sizeBytes() * 10;
        assertTrue(Math.abs(share - freeBytes) < freeBytes / 10, "a tenth, give or take");
    }

    @Test
    void directoriesMustExist() throws IOException {
        Path missing = top.resolve("missing");
        assertRefused(ExitCode.NO_SUCH_PATH, request(missing, mountpoint, cache));
        assertRefused(ExitCode.NO_SUCH_PATH, request(backing, missing, cache));
        assertRefused(ExitCode.NO_SUCH_PATH, request(device, mountpoint, cache));
        assertRefused(ExitCode.NO_SUCH_PATH, request(backing, device, cache));
        assertRefused(ExitCode.NO_SUCH_PATH, request(backing, mountpoint, device));
    }

    @Test
    void nothingMayLieInsideTheOther() throws IOException {
        Path sub = backing.resolve("sub");
        assertRefused(ExitCode.OVERLAP, request(backing, mountpoint, sub.resolve("cache")));
        assertRefused(ExitCode.OVERLAP, request(backing, mountpoint, mountpoint.resolve("c")));
        assertRefused(ExitCode.OVERLAP, request(backing, mountpoint, backing));
        assertRefused(ExitCode.OVERLAP, request(backing, mountpoint, top));
        assertRefused(ExitCode.OVERLAP, request(backing, sub, cache));
        assertRefused(ExitCode.OVERLAP, request(sub, backing, cache));
        Path link = Files.createSymbolicLink(top.resolve("link"), backing);
        assertRefused(ExitCode.OVERLAP, request(backing, mountpoint, link.resolve("x/y")));
    }

    @Test
    void theProgramMayNotLieInTheMountpoint() throws IOException {
        Path java = Path.of(System.getProperty("java.home")).toRealPath();
        assertRefused(ExitCode.OVERLAP, request(backing, java.getParent(), cache));
    }

    @Test
    void sizesMustBePossible() throws IOException {
        assertRefused(ExitCode.NO_SPACE, request(backing, mountpoint, cache, Long.MAX_VALUE, 0));
        assertRefused(ExitCode.USAGE, request(backing, mountpoint, cache, 1 << 20, 0));
        assertRefused(ExitCode.USAGE, request(backing, mountpoint, cache, 64 << 20, 4096));
        assertRefused(ExitCode.USAGE, request(backing, mountpoint, cache, 64 << 20, 24 << 10));
    }

    @Test
    void fuseMustBeThere() throws IOException {
        libraryLoads = () -> false;
        assertRefused(ExitCode.FUSE_MISSING, request(backing, mountpoint, cache));
        libraryLoads = () -> true;
        Files.delete(device);
        assertRefused(ExitCode.FUSE_MISSING, request(backing, mountpoint, cache));
    }

    @Test
    void aDirectoryWithOtherFilesIsNoCache() throws IOException, RefusedException {
        Files.createDirectory(cache);
        Files.createDirectory(cache.resolve("lost+found"));
        preflight().check(request(backing, mountpoint, cache));
        Files.createFile(cache.resolve("thesis.tex"));
        assertRefused(ExitCode.CACHE_UNUSABLE, request(backing, mountpoint, cache));
    }

    private void makeCache() throws IOException {
        Files.createDirectories(cache);
        new CacheProperties(64L << 20, 32 << 10, 1, "/old", new BackingIdentity(1, 2, 3))
                .write(cache);
    }

    @Test
    void anExistingCacheKeepsItsShape() throws IOException, RefusedException {
        makeCache();
        MountPlan plan = preflight().check(request(backing, mountpoint, cache, 0, 0));
        assertEquals(64L << 20, plan.sizeBytes());
        assertEquals(32 << 10, plan.blockBytes());
        preflight().check(request(backing, mountpoint, cache, 64L << 20, 32 << 10));
        assertRefused(ExitCode.CACHE_UNUSABLE, request(backing, mountpoint, cache, 128L << 20, 0));
        assertRefused(ExitCode.CACHE_UNUSABLE, request(backing, mountpoint, cache, 0, 8 << 10));
    }

    @Test
    void aDamagedOrNewerCacheIsRefused() throws IOException {
        makeCache();
        Path file = CacheProperties.file(cache);
        String good = Files.readString(file);
        Files.writeString(file, good.replace("format=1", "format=2"));
        assertRefused(ExitCode.CACHE_UNUSABLE, request(backing, mountpoint, cache, 0, 0));
        Files.writeString(file, good.replaceAll("size_bytes=.*", "size_bytes=many"));
        assertRefused(ExitCode.CACHE_UNUSABLE, request(backing, mountpoint, cache, 0, 0));
        Files.writeString(file, "");
        assertRefused(ExitCode.CACHE_UNUSABLE, request(backing, mountpoint, cache, 0, 0));
    }

    @Test
    void theLogGoesElsewhereWhenItsDirectoryIsInTheMount() throws IOException, RefusedException {
        MountPlan plan = preflight().check(request(mountpoint, top.resolve("backing"), cache));
        assertEquals(top.resolve("state/ssdcache"), plan.logDirectory());
        Files.createDirectories(top.resolve("state/ssdcache"));
        plan = preflight().check(request(backing, top.resolve("state"), cache));
        assertEquals(top.resolve("run/ssdcache/log"), plan.logDirectory());
    }
}
