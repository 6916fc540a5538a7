package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cache.CacheUsage;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.MountControl;
import org.ssdcache.control.MountStatus;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.metrics.CounterHistory;

/** Carries out what people ask of a running mount. */
final class DaemonControl implements MountControl {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonControl.class);
    private static final String MODE = "mode";
    private static final String SEQUENTIAL_CUTOFF = "sequential_cutoff";

    private final MountPlan plan;
    private final BackingDirectory backing;
    private final BlockCache cache;
    private final CounterHistory history;
    private final Unmounting unmounting;

    DaemonControl(
            MountPlan plan,
            BackingDirectory backing,
            BlockCache cache,
            CounterHistory history,
            Unmounting unmounting) {
        this.plan = plan;
        this.backing = backing;
        this.cache = cache;
        this.history = history;
        this.unmounting = unmounting;
    }

    @Override
    public MountStatus status() {
        CacheUsage usage = cache.usage();
        return new MountStatus(
                plan.mountpoint().toString(),
                plan.backing().toString(),
                plan.cache().toString(),
                cache.mode().label(),
                ProcessHandle.current().pid(),
                state(usage),
                usage.blockBytes(),
                usage.sizeBytes(),
                usage.usedBytes(),
                cache.sequentialCutoffBytes(),
                0,
                0,
                0,
                history.read());
    }

    /** No mode of this version leaves anything dirty or to be recovered after the start. */
    private static String state(CacheUsage usage) {
        if (usage.failed()) {
            return "error";
        }
        return usage.degraded() ? "bypass" : "clean";
    }

    @Override
    public void set(Map<String, String> values) throws RefusedException {
        CacheMode mode = cache.mode();
        long cutoffBytes = cache.sequentialCutoffBytes();
        for (Map.Entry<String, String> entry : values.entrySet()) {
            switch (entry.getKey()) {
                case MODE -> mode = MountSettings.mode(entry.getValue());
                case SEQUENTIAL_CUTOFF ->
                        cutoffBytes = MountSettings.size(SEQUENTIAL_CUTOFF, entry.getValue());
                default ->
                        throw new RefusedException(
                                ExitCode.USAGE,
                                String.format(
                                        "There is no setting \"%s\"; the settings are %s and %s.",
                                        entry.getKey(), MODE, SEQUENTIAL_CUTOFF));
            }
        }
        cache.setMode(mode);
        cache.setSequentialCutoffBytes(cutoffBytes);
        LOG.info("Now mode {}, sequential cutoff {} bytes", mode.label(), cutoffBytes);
    }

    @Override
    public void flush(List<String> paths) throws RefusedException {
        for (String path : paths) {
            refuseOutside(path);
        }
        try {
            if (paths.isEmpty()) {
                backing.syncEverything();
            }
            for (String path : paths) {
                flushFile(path);
            }
        } catch (IOException e) {
            throw new RefusedException(
                    ExitCode.FAILURE,
                    String.format(
                            "The backing directory %s could not be made durable: %s.",
                            plan.backing(), e.getMessage()),
                    e);
        }
    }

    private void flushFile(String path) throws IOException, RefusedException {
        try {
            backing.sync(path);
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR) {
                throw new RefusedException(
                        ExitCode.NO_SUCH_PATH,
                        String.format("There is no %s in %s.", path, plan.mountpoint()),
                        e);
            }
            throw e;
        }
    }

    private void refuseOutside(String path) throws RefusedException {
        Path normal = Path.of(path).normalize();
        if (normal.isAbsolute() || normal.startsWith("..")) {
            throw new RefusedException(
                    ExitCode.NO_SUCH_PATH,
                    String.format("%s does not lie in %s.", path, plan.mountpoint()));
        }
    }

    @Override
    public void unmount(boolean flush) throws RefusedException {
        if (flush) {
            flush(List.of());
        }
        unmounting.unmount();
        unmounting.awaitClosed();
        if (unmounting.failedToClose()) {
            throw new RefusedException(
                    ExitCode.FAILURE,
                    String.format(
                            "%s is unmounted, but the cache could not be closed; the log %s says"
                                    + " why.",
                            plan.mountpoint(), plan.logFile()));
        }
    }
}
