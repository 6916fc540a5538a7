package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cache.CacheUsage;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.DirtyLeft;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.control.MountStatus;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.Clock;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.metrics.CounterHistory;
import org.ssdcache.metrics.Counters;

class DaemonControlTest {
    @TempDir private Path root;
    private final FakeEngine engine = new FakeEngine();
    private BackingDirectory backing;
    private Unmounting unmounting;
    private DaemonControl control;
    private boolean busy;
    private boolean detached;
    private MountPlan attached;

    /** Always attached; notes what it is asked for. */
    private final class FakeCache implements MountedCache {
        @Override
        public Engine engine() {
            return engine;
        }

        @Override
        public String directory() {
            return "/cache";
        }

        @Override
        public LiveSettings settings() {
            return LiveSettings.of(engine);
        }

        @Override
        public void detach(FlushProgress.Listener listener) {
            detached = true;
        }

        @Override
        public void attach(MountPlan plan) throws IOException {
            attached = plan;
            if (plan.sizeBytes() == 32 << 20) {
                throw new IOException("no such disk");
            }
        }
    }

    @BeforeEach
    void open() throws IOException, RefusedException {
        backing = BackingDirectory.open(root);
        MountPlan plan = Plans.of(root, root);
        unmounting = new Unmounting(root, this::unmount);
        control =
                new DaemonControl(
                        plan,
                        new FakeCache(),
                        new Flusher(
                                plan, backing, () -> engine, new RunningFlushes(), progress -> {}),
                        new CounterHistory(new Counters(), Clock.SYSTEM),
                        unmounting);
    }

    @AfterEach
    void close() throws IOException {
        backing.close();
    }

    /** As the daemon does it: once unmounted, everything is closed. */
    private void unmount() throws IOException {
        if (busy) {
            throw new ErrnoException(Errno.EBUSY, "busy");
        }
        DirtyState left = engine.dirty();
        unmounting.closed(null, new DirtyLeft(left.blocks(), left.bytes()));
    }

    private String state() {
        return control.status().state();
    }

    private static CacheUsage usage(boolean degraded, boolean failed) {
        return new CacheUsage(FakeEngine.BLOCK_BYTES, 1 << 20, 0, degraded, failed);
    }

    @Test
    void theStateIsWhatMattersMost() {
        assertEquals("clean", state());
        engine.setDirtyBlocks(2);
        assertEquals("dirty", state());
        engine.dirty = new DirtyState(2, 32768, 5, 1000, true, false);
        assertEquals("draining", state());
        engine.dirty = new DirtyState(0, 0, 0, 0, false, false);
        assertEquals("dirty", state(), "a length or a time is not at home");
        engine.dirty = new DirtyState(0, 0, 0, 0, true, true);
        assertEquals("clean", state());
        engine.usage = usage(true, false);
        assertEquals("bypass", state());
        engine.usage = usage(true, true);
        assertEquals("error", state());
    }

    @Test
    void statusTellsWhatIsDirty() {
        engine.dirty = new DirtyState(2, 32768, 5, 1000, false, false);
        MountStatus status = control.status();
        assertEquals(32768, status.dirtyBytes());
        assertEquals(5, status.oldestDirtySeconds());
        assertEquals(1000, status.writebackRateBytesPerSecond());
        assertEquals(96, status.cacheAvailablePercent());
    }

    @Test
    void allSettingsAreSet() throws RefusedException {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("mode", "none");
        values.put("sequential_cutoff", "1M");
        values.put("writeback_percent", "20");
        values.put("writeback_delay", "0");
        values.put("writeback_running", "off");
        control.set(values);
        assertEquals(
                new LiveSettings(CacheMode.NONE, 1 << 20, new CleanerSettings(20, 0, false)),
                LiveSettings.of(engine));
    }

    @Test
    void noneIsSetWhenOneIsWrong() {
        LiveSettings before = LiveSettings.of(engine);
        for (String wrong : List.of("colour", "writeback_percent", "mode", "sequential_cutoff")) {
            Map<String, String> values = new LinkedHashMap<>();
            values.put("writeback_delay", "7");
            values.put(wrong, "red");
            RefusedException e =
                    assertThrows(RefusedException.class, () -> control.set(values), wrong);
            assertEquals(ExitCode.USAGE, e.code());
            assertEquals(before, LiveSettings.of(engine));
        }
    }

    @Test
    void detachAndAttachReachTheCache() throws RefusedException {
        control.detach(FlushProgress.Listener.NONE);
        assertTrue(detached);
        Path ssd = root.resolveSibling("ssd");
        control.attach(Map.of("cache", ssd.toString(), "size", "16M", "mode", "none"));
        assertEquals(ssd, attached.cache());
        assertEquals(16 << 20, attached.sizeBytes());
        assertEquals(CacheMode.NONE, attached.mode());
        control.attach(Map.of("cache", ssd.toString(), "size", "16M", "block_size", "8K"));
        assertEquals(8192, attached.blockBytes());
        assertEquals(CacheMode.WRITETHROUGH, attached.mode());
    }

    @Test
    void whatCannotBeAttachedIsRefused() {
        String ssd = root.resolveSibling("ssd").toString();
        Map<Map<String, String>, ExitCode> refused =
                Map.of(
                        Map.of("size", "16M"), ExitCode.USAGE,
                        Map.of("cache", ssd, "colour", "red"), ExitCode.USAGE,
                        Map.of("cache", ssd, "size", "much"), ExitCode.USAGE,
                        Map.of("cache", ssd, "size", "1M"), ExitCode.USAGE,
                        Map.of("cache", ssd, "block_size", "3K"), ExitCode.USAGE,
                        Map.of("cache", "relative"), ExitCode.OVERLAP,
                        Map.of("cache", root + "/in"), ExitCode.OVERLAP,
                        Map.of("cache", "/"), ExitCode.OVERLAP,
                        Map.of("cache", ssd, "size", "900T"), ExitCode.NO_SPACE,
                        Map.of("cache", ssd, "size", "32M"), ExitCode.FAILURE);
        refused.forEach(
                (values, code) -> {
                    RefusedException e =
                            assertThrows(RefusedException.class, () -> control.attach(values));
                    assertEquals(code, e.code(), values + ": " + e.getMessage());
                });
    }

    @Test
    void unmountFlushesAndEndsClean() throws RefusedException {
        engine.setDirtyBlocks(3);
        assertEquals(new DirtyLeft(0, 0), control.unmount(true, FlushProgress.Listener.NONE));
        assertTrue(unmounting.isToFlushAtEnd());
    }

    @Test
    void unmountWithoutFlushSaysWhatIsLeft() throws RefusedException {
        engine.setDirtyBlocks(3);
        assertEquals(
                new DirtyLeft(3, 3 * FakeEngine.BLOCK_BYTES),
                control.unmount(false, FlushProgress.Listener.NONE));
        assertEquals(List.of(), engine.cleaned);
    }

    @Test
    void anInterruptedUnmountStaysMounted() {
        engine.setDirtyBlocks(3);
        RefusedException e =
                assertThrows(RefusedException.class, () -> control.unmount(true, p -> false));
        assertEquals(ExitCode.ABORTED, e.code());
        assertEquals(3, engine.dirty().blocks());
    }

    /** Else the next unmounting, which is not to flush, would. */
    @Test
    void aRefusedUnmountIsForgotten() {
        busy = true;
        RefusedException e =
                assertThrows(
                        RefusedException.class,
                        () -> control.unmount(true, FlushProgress.Listener.NONE));
        assertEquals(ExitCode.MOUNTPOINT_BUSY, e.code());
        assertTrue(!unmounting.isToFlushAtEnd());
    }
}
