package org.ssdcache.daemon;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cache.FileCache;
import org.ssdcache.cache.SwitchableCache;
import org.ssdcache.cache.Uncached;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.control.RefusedException;
import org.ssdcache.file.FileFinder;
import org.ssdcache.file.RootGuard;
import org.ssdcache.metrics.CounterHistory;
import org.ssdcache.metrics.Counters;

/**
 * The cache of a mount, which can be taken away and taken into use again while the mount serves.
 */
final class LiveCache implements MountedCache, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveCache.class);

    /** One is enough, unless a length or a time of a file changes in the wrong moment. */
    private static final int SWITCH_ATTEMPTS = 100;

    private final BackingDirectory backing;
    private final Counters counters;
    private final CounterHistory history;
    private final Uncached uncached;
    private final SwitchableCache files;
    private final CurrentGuard guard = new CurrentGuard();

    /** Null while the mount has no cache. Changed by one thread at a time, read by all. */
    private volatile Attachment attachment;

    private volatile Engine engine;

    @GuardedBy("this")
    private FileFinder finder;

    /** Settings for the next attachment. */
    @GuardedBy("this")
    private LiveSettings settings;

    LiveCache(
            Attachment first, BackingDirectory backing, Counters counters, CounterHistory history) {
        this.backing = backing;
        this.counters = counters;
        this.history = history;
        this.uncached = new Uncached(counters);
        this.files = new SwitchableCache(first.cache());
        this.attachment = first;
        guard.set(first.guard());
    }

    private synchronized void use(Attachment next) {
        engine = next.engine();
        settings = LiveSettings.of(engine);
        guard.set(next.guard());
        next.keep(history);
        attachment = next;
    }

    /**
     * Begins the work of the first cache; to be called before anything is served.
     *
     * @param fileFinder finds files of the backing without a name
     */
    synchronized void begin(FileFinder fileFinder) throws IOException, RefusedException {
        finder = fileFinder;
        attachment.begin(fileFinder);
        use(attachment);
    }

    /** What the file layer reads and writes through. */
    FileCache files() {
        return files;
    }

    RootGuard guard() {
        return guard;
    }

    @Override
    public Engine engine() {
        return engine;
    }

    @Override
    public String directory() {
        Attachment current = attachment;
        return current == null ? "" : current.plan().cache().toString();
    }

    @Override
    public synchronized void detach(FlushProgress.Listener listener)
            throws IOException, RefusedException {
        Attachment old = attachment;
        if (old == null) {
            throw new RefusedException(
                    ExitCode.CACHE_STATE, "The mount has no cache that could be detached.");
        }
        settings = LiveSettings.of(engine);
        drainAndSwitch(old, listener);
        guard.set(RootGuard.NONE);
        engine = new NoEngine();
        attachment = null;
        old.close();
        LOG.info("The cache {} is detached", old.plan().cache());
    }

    @GuardedBy("this")
    private void drainAndSwitch(Attachment old, FlushProgress.Listener listener)
            throws IOException, RefusedException {
        CacheMode mode = engine.mode();
        boolean done = false;
        try {
            engine.setMode(CacheMode.NONE);
            for (int i = 0; i < SWITCH_ATTEMPTS && !done; i++) {
                if (!engine.clean(FlushScope.EVERYTHING, listener)) {
                    throw Flusher.stopped();
                }
                backing.syncEverything();
                done = files.switchTo(uncached, old.cache().dirty()::isNone);
            }
            if (!done) {
                throw new RefusedException(
                        ExitCode.FAILURE,
                        "Files are changed faster than they become clean; try again when there is"
                                + " less to do.");
            }
        } finally {
            if (!done) {
                engine.setMode(mode);
            }
        }
    }

    @Override
    public synchronized void attach(MountPlan plan) throws IOException, RefusedException {
        if (attachment != null) {
            throw new RefusedException(
                    ExitCode.CACHE_STATE,
                    String.format(
                            "The mount has the cache %s already; detach it first.", directory()));
        }
        PreviousDaemon nobody = PreviousDaemon.notWaitedFor();
        Attachment next = Attachment.open(plan, backing, nobody, counters, StartupReport.NONE);
        boolean done = false;
        try {
            refuseDirty(next);
            next.begin(finder);
            done = files.switchTo(next.cache(), () -> true);
            use(next);
        } finally {
            if (!done) {
                next.close();
            }
        }
        LOG.info("The cache {} is attached in mode {}", plan.cache(), plan.mode().label());
    }

    private static void refuseDirty(Attachment next) throws RefusedException {
        if (!next.cache().dirty().isNone()) {
            throw new RefusedException(
                    ExitCode.CONFLICT,
                    String.format(
                            "The cache %s holds changes of an earlier mount, and the backing"
                                    + " directory was used without it since; unmount, and mount"
                                    + " with that cache.",
                            next.plan().cache()));
        }
    }

    @Override
    public synchronized LiveSettings settings() {
        return attachment == null ? settings : LiveSettings.of(engine);
    }

    /** Nothing goes home by itself any more, nor can be flushed; to be called before the end. */
    void stopCleaning() {
        Attachment current = attachment;
        if (current != null) {
            current.stopCleaning();
        }
    }

    /** Writes down what is dirty, for the case that the cache is lost. */
    void noteDirtyFiles() {
        Attachment current = attachment;
        if (current != null) {
            current.noteDirtyFiles();
        }
    }

    @Override
    public void close() throws IOException {
        Attachment last = attachment;
        if (last != null) {
            last.close();
        }
    }
}
