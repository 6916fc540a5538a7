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

    @BeforeEach
    void open() throws IOException, RefusedException {
        backing = BackingDirectory.open(root);
        MountPlan plan = Plans.of(root, root);
        unmounting = new Unmounting(root, this::unmount);
        control =
                new DaemonControl(
                        plan,
                        engine,
                        new Flusher(plan, backing, engine, new RunningFlushes()),
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
        unmounting.closed(false, new DirtyLeft(left.blocks(), left.bytes()));
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
        engine.dirty = new DirtyState(0, 0, 0, 0, true, false);
        assertEquals("clean", state());
        engine.dirty = new DirtyState(2, 32768, 5, 1000, true, true);
        assertEquals("recovering", state());
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
