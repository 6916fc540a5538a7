package org.ssdcache.daemon;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.cache.CacheUsage;
import org.ssdcache.control.DirtyLeft;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.control.MountControl;
import org.ssdcache.control.MountStatus;
import org.ssdcache.control.RefusedException;
import org.ssdcache.metrics.CounterHistory;

/** Carries out what people ask of a running mount. */
final class DaemonControl implements MountControl {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonControl.class);

    private final MountPlan plan;
    private final MountedCache cache;
    private final Flusher flusher;
    private final CounterHistory history;
    private final Unmounting unmounting;

    DaemonControl(
            MountPlan plan,
            MountedCache cache,
            Flusher flusher,
            CounterHistory history,
            Unmounting unmounting) {
        this.plan = plan;
        this.cache = cache;
        this.flusher = flusher;
        this.history = history;
        this.unmounting = unmounting;
    }

    @Override
    public MountStatus status() {
        Engine engine = cache.engine();
        CacheUsage usage = engine.usage();
        DirtyState dirty = engine.dirty();
        return new MountStatus(
                plan.mountpoint().toString(),
                plan.backing().toString(),
                cache.directory(),
                engine.mode().label(),
                ProcessHandle.current().pid(),
                state(usage, dirty),
                usage.blockBytes(),
                usage.sizeBytes(),
                usage.usedBytes(),
                engine.sequentialCutoffBytes(),
                dirty.bytes(),
                dirty.oldestSeconds(),
                dirty.rateBytesPerSecond(),
                engine.writebackSettings().writebackPercent(),
                engine.writebackSettings().writebackDelaySeconds(),
                history.read());
    }

    /** What people should know first. */
    private static String state(CacheUsage usage, DirtyState dirty) {
        if (usage.failed()) {
            return "error";
        }
        if (usage.degraded()) {
            return "bypass";
        }
        if (dirty.clean()) {
            return "clean";
        }
        return dirty.draining() ? "draining" : "dirty";
    }

    @Override
    public synchronized void set(Map<String, String> values) throws RefusedException {
        Engine engine = cache.engine();
        LiveSettings settings = LiveSettings.of(engine).with(values);
        engine.apply(settings);
        LOG.info("Now {}", settings);
    }

    @Override
    public void flush(List<String> paths, FlushProgress.Listener listener) throws RefusedException {
        flusher.flush(paths, listener);
    }

    @Override
    public void detach(FlushProgress.Listener listener) throws RefusedException {
        try {
            cache.detach(listener);
        } catch (IOException e) {
            throw failed("The cache could not be detached", e);
        }
    }

    @Override
    public void attach(Map<String, String> values) throws RefusedException {
        try {
            cache.attach(new AttachRequest(values).plan(plan, cache.settings()));
        } catch (IOException e) {
            throw failed("The cache could not be attached", e);
        }
    }

    private static RefusedException failed(String what, IOException e) {
        return new RefusedException(
                ExitCode.FAILURE, String.format("%s: %s.", what, Directories.reason(e)), e);
    }

    @Override
    public DirtyLeft unmount(boolean flush, FlushProgress.Listener listener)
            throws RefusedException {
        if (flush) {
            flusher.flush(List.of(), listener);
        }
        unmounting.unmount(flush);
        unmounting.awaitClosed();
        if (unmounting.failure() != null) {
            throw new RefusedException(ExitCode.FAILURE, unmounting.failure());
        }
        return unmounting.left();
    }
}
