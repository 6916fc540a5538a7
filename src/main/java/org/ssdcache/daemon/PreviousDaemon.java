package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

/**
 * The daemon that had the mountpoint, the backing directory or the cache before. After umount(8) it
 * goes on for a moment, closing the cache, while the kernel shows no mount any more; a mount made
 * then waits for its end instead of being refused. One that serves a mount is not waited for.
 */
final class PreviousDaemon {
    private static final Logger LOG = LoggerFactory.getLogger(PreviousDaemon.class);

    /** For all locks together; less than the time without a sign of life a command allows. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** A lock of another process can be waited for only without a limit, or be tried again. */
    private static final Duration RETRY = Duration.ofMillis(50);

    private static final Set<ExitCode> BUSY =
            EnumSet.of(ExitCode.ALREADY_MOUNTED, ExitCode.BACKING_BUSY, ExitCode.CACHE_BUSY);

    private final Serving serving;
    private final StartupReport report;
    private final Duration patience;
    private final long startNanos = System.nanoTime();
    private boolean told;

    /** Takes a lock, or is refused with the code of a busy one. */
    @FunctionalInterface
    interface Attempt<T> {
        T run() throws IOException, RefusedException;
    }

    /** Whether the one in the way serves a mount, so that it will not end by itself. */
    @FunctionalInterface
    interface Serving {
        boolean test() throws IOException, RefusedException;
    }

    PreviousDaemon(Serving serving, StartupReport report, Duration patience) {
        this.serving = serving;
        this.report = report;
        this.patience = patience;
    }

    /** What may be in the way of the plan. */
    static PreviousDaemon of(MountPlan plan, StartupReport report) {
        return new PreviousDaemon(() -> isServing(plan), report, PATIENCE);
    }

    /** For what is refused at once when it is busy. */
    static PreviousDaemon notWaitedFor() {
        return new PreviousDaemon(() -> true, StartupReport.NONE, Duration.ZERO);
    }

    private static boolean isServing(MountPlan plan) throws IOException, RefusedException {
        List<Path> served =
                MountTable.read().entries().stream()
                        .filter(MountTable.Entry::isOurs)
                        .map(mount -> Path.of(mount.source()))
                        .toList();
        Optional<Path> ofCache =
                CacheProperties.read(plan.cache()).map(properties -> Path.of(properties.backing()));
        return served.contains(plan.backing()) || ofCache.filter(served::contains).isPresent();
    }

    /** Repeats the attempt until it succeeds, waiting is no use, or has lasted too long. */
    <T> T awaitEnd(Attempt<T> attempt) throws IOException, RefusedException {
        while (true) {
            try {
                return attempt.run();
            } catch (RefusedException e) {
                if (!BUSY.contains(e.code()) || serving.test() || isOver()) {
                    throw e;
                }
            }
            tell();
            pause();
        }
    }

    private boolean isOver() {
        return System.nanoTime() - startNanos >= patience.toNanos();
    }

    private void tell() {
        if (!told) {
            told = true;
            LOG.info("Waiting for the end of the daemon that was here before");
            report.progress("waiting for the end of the daemon that was here before");
        }
    }

    /** A lock of another process cannot be waited for with a limit, so it is tried again. */
    private static void pause() {
        LockSupport.parkNanos(RETRY.toNanos());
    }
}
