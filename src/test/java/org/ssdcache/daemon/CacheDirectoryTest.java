package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountFlags;
import org.ssdcache.store.BlockStore;

class CacheDirectoryTest {
    private static final BackingIdentity IDENTITY = new BackingIdentity(12, 345, 678);
    private static final long SIZE_BYTES = 16L << 20;

    @TempDir private Path root;
    private Path cache;

    @BeforeEach
    void path() {
        cache = root.resolve("cache");
    }

    private MountPlan plan(long sizeBytes) {
        return new MountPlan(
                root.resolve("b"),
                root.resolve("m"),
                cache,
                sizeBytes,
                16 << 10,
                CacheMode.NONE,
                0,
                CleanerSettings.DEFAULT,
                ConflictChoice.REFUSE,
                false,
                MountFlags.NONE,
                root,
                root);
    }

    private CacheDirectory open(BackingIdentity identity) throws IOException, RefusedException {
        return CacheDirectory.open(plan(SIZE_BYTES), identity, StartupReport.NONE);
    }

    private static void assertCode(
            ExitCode code, org.junit.jupiter.api.function.Executable action) {
        RefusedException e = assertThrows(RefusedException.class, action);
        assertEquals(code, e.code(), e.getMessage());
    }

    @Test
    void aNewCacheIsPrivateAndCanBeOpenedAgain() throws IOException, RefusedException {
        long backingId;
        try (CacheDirectory made = open(IDENTITY)) {
            backingId = made.properties().backingId();
            assertEquals(
                    "rwx------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(cache)));
            try (BlockStore store = StoreOpener.open(made)) {
                assertEquals(backingId, store.identity().backingId());
            }
        }
        try (CacheDirectory again = open(IDENTITY)) {
            assertEquals(backingId, again.properties().backingId());
        }
    }

    @Test
    void twoDaemonsCannotHaveIt() throws IOException, RefusedException {
        try (CacheDirectory first = open(IDENTITY)) {
            assertCode(ExitCode.CACHE_BUSY, () -> open(IDENTITY));
            assertEquals(cache, first.path());
        }
    }

    @Test
    void itBelongsToOneBackingDirectory() throws IOException, RefusedException {
        open(IDENTITY).close();
        assertCode(ExitCode.CACHE_UNUSABLE, () -> open(new BackingIdentity(13, 345, 678)));
        assertCode(ExitCode.CACHE_UNUSABLE, () -> open(new BackingIdentity(12, 346, 678)));
        open(new BackingIdentity(12, 345, 999)).close();
    }

    @Test
    void withoutBirthTimesTheFilesystemDecides() {
        BackingIdentity unborn = new BackingIdentity(12, 0, 678);
        assertEquals(true, unborn.isSameDirectory(new BackingIdentity(12, 0, 678)));
        assertFalse(unborn.isSameDirectory(new BackingIdentity(12, 0, 679)));
    }

    @Test
    void aCacheThatDoesNotFitLeavesNothingBehind() throws IOException {
        long tooMuch = Files.getFileStore(root).getTotalSpace() * 2;
        assertCode(
                ExitCode.NO_SPACE,
                () -> CacheDirectory.open(plan(tooMuch), IDENTITY, StartupReport.NONE));
        assertFalse(Files.exists(cache));
    }

    @Test
    void anInterruptedAttemptIsBegunAgain() throws IOException, RefusedException {
        open(IDENTITY).close();
        Files.delete(CacheProperties.file(cache));
        try (CacheDirectory again = open(IDENTITY)) {
            StoreOpener.open(again).close();
        }
    }

    @Test
    void aMissingForeignOrDamagedStoreIsRefused() throws IOException, RefusedException {
        try (CacheDirectory made = open(IDENTITY)) {
            Path store = made.storeFile();
            Files.writeString(store, "x".repeat(1 << 20));
            assertCode(ExitCode.CACHE_UNUSABLE, () -> StoreOpener.open(made));
            Files.delete(store);
            assertCode(ExitCode.CACHE_UNUSABLE, () -> StoreOpener.open(made));
        }
    }
}
