package org.ssdcache.daemon;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.control.ControlServer;
import org.ssdcache.control.DirtyLeft;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.file.FileSystem;
import org.ssdcache.file.FileSystemOptions;
import org.ssdcache.metrics.CounterHistory;
import org.ssdcache.metrics.Counters;
import org.ssdcache.mount.MountOptions;
import org.ssdcache.mount.MountSession;
import org.ssdcache.mount.MountTable;

/**
 * The composition root: builds everything a mount consists of in order, serves it, and closes
 * everything in reverse.
 */
public final class Daemon {
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);

    private static final int CLOSE_TIMEOUT_SECONDS = 30;

    private final MountPlan plan;
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Closed before the last answer on the control socket. */
    private final Closings mount = new Closings();

    /** Closed after it. */
    private final Closings rest = new Closings();

    private MountSession session;
    private Unmounting unmounting;
    private LiveCache cache;
    private Flusher flusher;

    private Daemon(MountPlan plan) {
        this.plan = plan;
    }

    /**
     * Mounts, serves and returns when the mount has ended and everything is closed.
     *
     * @param report told when the mount answers; a failure before that is thrown instead
     * @return whether everything could be closed well
     */
    public static boolean run(MountPlan plan, SystemPaths paths, StartupReport report)
            throws IOException, RefusedException {
        Daemon daemon = new Daemon(plan);
        boolean started = false;
        try {
            daemon.start(paths, report);
            started = true;
        } finally {
            if (!started) {
                daemon.mount.closeAll();
                daemon.rest.closeAll();
            }
        }
        return daemon.serve(report);
    }

    private void start(SystemPaths paths, StartupReport report)
            throws IOException, RefusedException {
        ProgramFiles.holdOpen();
        BlockCache.warmUp();
        ProcessSetup.apply(plan.temporaryDirectory());
        RuntimeFiles runtime = RuntimeFiles.of(paths, plan.mountpoint());
        PreviousDaemon previous = PreviousDaemon.of(plan, report);
        rest.add(previous.awaitEnd(() -> runtime.take().orElseThrow(this::mountpointTaken)));
        BackingDirectory backing =
                mount.add(previous.awaitEnd(() -> new LockedBacking(plan).open()));
        Counters counters = new Counters();
        report.progress("opening the cache");
        Attachment first = Attachment.open(plan, backing, previous, counters, report);
        CounterHistory history = first.loadHistory(counters);
        cache = mount.add(new LiveCache(first, backing, counters, history));
        flusher =
                new Flusher(
                        plan,
                        backing,
                        cache::engine,
                        mount.add(new RunningFlushes()),
                        report::flushing);
        FileSystem files =
                new FileSystem(
                        backing.openAgain(),
                        cache.files(),
                        new FileSystemOptions(plan.inPlace(), cache.guard()));
        mount.add(files::close);
        mount.add(cache::stopCleaning); // it needs the files
        cache.begin(files.finder());
        session = MountSession.mount(files, options(paths));
        unmounting = new Unmounting(plan.mountpoint(), session::unmount);
        DaemonControl control = new DaemonControl(plan, cache, flusher, history, unmounting);
        startControl(runtime, control);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> shutDown(report), "shutdown"));
        LOG.info(
                "{} is mounted on {} in mode {}, cache {}",
                plan.backing(),
                plan.mountpoint(),
                plan.mode().label(),
                plan.cache());
    }

    private void shutDown(StartupReport report) {
        if (!unmounting.isClosed()) {
            report.stopping("unmounting as soon as nobody uses " + plan.mountpoint());
            unmounting.unmountWhenFree();
        }
        awaitEnd();
    }

    /** The process ends with the shutdown, so what is still being closed is waited for. */
    private void awaitEnd() {
        try {
            if (!ended.await(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("Not everything was closed in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private MountOptions options(SystemPaths paths) throws IOException {
        return new MountOptions(
                plan.mountpoint().toString(),
                plan.backing().toString(),
                paths.mayAllowOthers(),
                plan.flags().over(optionsOfBacking(), paths.isRoot()),
                plan.extendedAttributes(),
                MountOptions.DEFAULT_THREADS,
                MountOptions.DEFAULT_MAX_BACKGROUND);
    }

    /** Before the mount is made, which in place covers the backing directory. */
    private List<String> optionsOfBacking() throws IOException {
        return MountTable.read()
                .holding(plan.backing())
                .map(MountTable.Entry::options)
                .orElse(List.of());
    }

    private void startControl(RuntimeFiles runtime, DaemonControl control)
            throws IOException, RefusedException {
        boolean started = false;
        try {
            rest.add(ControlServer.start(runtime.socket(), control));
            started = true;
        } finally {
            if (!started) {
                session.unmount();
            }
        }
    }

    private RefusedException mountpointTaken() {
        return new RefusedException(
                ExitCode.ALREADY_MOUNTED,
                String.format(
                        "Another daemon is about to serve or to leave %s; try again.",
                        plan.mountpoint()));
    }

    private boolean serve(StartupReport report) {
        report.ready();
        boolean served = false;
        try {
            session.serve();
            served = true;
        } finally {
            LOG.info("{} is unmounted", plan.mountpoint());
            report.stopping("closing the cache");
            String failure = flushRest();
            cache.noteDirtyFiles();
            DirtyState left = cache.engine().dirty();
            boolean closed = mount.closeAll();
            sayWhatIsLeft(left);
            if (!closed || !served) {
                failure = failure == null ? notClosed() : failure + " " + notClosed();
            }
            unmounting.closed(failure, new DirtyLeft(left.blocks(), left.bytes()));
            closed &= failure == null;
            closed &= rest.closeAll();
            ended.countDown();
            LOG.info(closed ? "Everything is closed" : "Not everything could be closed");
            served &= closed;
        }
        return served;
    }

    /**
     * Only after an unmount that was to flush; what others end keeps its dirty blocks.
     *
     * @return what went wrong, or null
     */
    private String flushRest() {
        if (!unmounting.isToFlushAtEnd()) {
            return null;
        }
        try {
            flusher.flushRest();
            return null;
        } catch (RefusedException e) {
            LOG.error("The last changes stay in the cache", e);
            return String.format(
                    "%s is unmounted, but what was written just before stays in the cache %s; mount"
                            + " %s again with that cache and unmount it to bring it home. %s",
                    plan.mountpoint(), cache.directory(), plan.backing(), e.getMessage());
        }
    }

    private String notClosed() {
        return String.format(
                "%s is unmounted, but the cache could not be closed; the log %s says why.",
                plan.mountpoint(), plan.logFile());
    }

    private void sayWhatIsLeft(DirtyState left) {
        if (left.blocks() == 0) {
            LOG.info("The cache {} is clean", cache.directory());
        } else {
            LOG.info(
                    "{} dirty blocks ({}) stay in the cache {} for the next mount of {}",
                    left.blocks(),
                    ByteSize.format(left.bytes()),
                    cache.directory(),
                    plan.backing());
        }
    }
}
