package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

class CacheCheckTest {
    @TempDir private Path root;
    private Path cache;
    private Path store;

    @BeforeEach
    void make() throws IOException, RefusedException {
        cache = root.resolve("cache");
        store = cache.resolve(CacheContents.STORE);
        CacheDirectory.open(
                        Plans.of(root, root, cache),
                        new BackingIdentity(1, 2, 3),
                        StartupReport.NONE)
                .close();
    }

    private CacheCheck.Report run(boolean repair) throws IOException, RefusedException {
        return new CacheCheck(cache, true, slots -> {}).run(repair);
    }

    private void damage(long offset, int length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(store.toFile(), "rw")) {
            file.seek(offset);
            byte[] noise = new byte[length];
            java.util.Arrays.fill(noise, (byte) 0x5a);
            file.write(noise);
        }
    }

    private ExitCode refusal() {
        return assertThrows(RefusedException.class, () -> run(false)).code();
    }

    @Test
    void aNewCacheIsSound() throws IOException, RefusedException {
        CacheCheck.Report report = run(false);
        assertEquals(CacheCheck.Verdict.SOUND, report.verdict(), report.toString());
        assertTrue(report.readable());
        assertEquals(0, report.blocks());
    }

    @Test
    void oneLostSuperblockIsMendedByTheOther() throws IOException, RefusedException {
        damage(0, 4096);
        byte[] before = Files.readAllBytes(store);
        CacheCheck.Report report = run(false);
        assertEquals(CacheCheck.Verdict.REPAIRABLE, report.verdict(), report.toString());
        assertTrue(report.isRepairable());
        assertArrayEquals(before, Files.readAllBytes(store), "a check changes nothing");
        assertEquals(CacheCheck.Verdict.REPAIRABLE, run(true).verdict());
        assertEquals(CacheCheck.Verdict.SOUND, run(false).verdict());
    }

    @Test
    void withoutASuperblockNobodyKnowsWhatItHeld() throws IOException, RefusedException {
        damage(0, 8192);
        CacheCheck.Report report = run(false);
        assertEquals(CacheCheck.Verdict.LOSS, report.verdict());
        assertFalse(report.readable());
        assertFalse(report.isRepairable());
        assertEquals(CacheCheck.Verdict.LOSS, run(true).verdict());
    }

    @Test
    void whatIsNoCacheIsRefused() throws IOException, RefusedException {
        try (RuntimeFiles.HeldLock held =
                RuntimeFiles.HeldLock.tryTake(cache.resolve(CacheContents.LOCK)).orElseThrow()) {
            assertEquals(ExitCode.CACHE_BUSY, refusal(), held.toString());
        }
        Files.delete(store);
        assertEquals(ExitCode.CACHE_UNUSABLE, refusal());
        Files.delete(CacheProperties.file(cache));
        assertEquals(ExitCode.NO_SUCH_PATH, refusal());
        cache = root.resolve("nothing");
        assertEquals(ExitCode.NO_SUCH_PATH, refusal());
    }
}
