package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.ssdcache.block.FileId;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;

/** Makes the backing directory complete and durable (invariant I3), all of it or some files. */
final class Flusher {
    private final MountPlan plan;
    private final BackingDirectory backing;
    private final Supplier<Engine> engine;
    private final RunningFlushes running;
    private final Consumer<FlushProgress> observer;

    /**
     * Flushes the mount of a plan.
     *
     * @param observer told how every flush goes on, whoever asked for it
     */
    Flusher(
            MountPlan plan,
            BackingDirectory backing,
            Supplier<Engine> engine,
            RunningFlushes running,
            Consumer<FlushProgress> observer) {
        this.observer = observer;
        this.plan = plan;
        this.backing = backing;
        this.engine = engine;
        this.running = running;
    }

    /** See {@link org.ssdcache.control.MountControl#flush}. */
    void flush(List<String> paths, FlushProgress.Listener listener) throws RefusedException {
        for (String path : paths) {
            refuseOutside(path);
        }
        if (!running.begin()) {
            throw stopped();
        }
        try {
            // The mountpoint itself is everything, too.
            List<String> named = paths.contains("") ? List.of() : paths;
            clean(named, running.watched(observed(listener)));
            sync(named);
        } catch (IOException e) {
            throw failed(e);
        } finally {
            running.ended();
        }
    }

    /** What became dirty after the last flush, when the mount has ended and nothing more comes. */
    void flushRest() throws RefusedException {
        try {
            engine.get().clean(FlushScope.EVERYTHING, observed(FlushProgress.Listener.NONE));
            backing.syncEverything();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private FlushProgress.Listener observed(FlushProgress.Listener listener) {
        return progress -> {
            observer.accept(progress);
            return listener.report(progress);
        };
    }

    private void clean(List<String> paths, FlushProgress.Listener listener)
            throws IOException, RefusedException {
        if (!engine.get().clean(scopeOf(paths), listener)) {
            throw stopped();
        }
    }

    private FlushScope scopeOf(List<String> paths) throws IOException, RefusedException {
        if (paths.isEmpty()) {
            return FlushScope.EVERYTHING;
        }
        Set<FileId> dirty = new HashSet<>();
        for (String path : paths) {
            try {
                backing.walk(
                        path,
                        (name, file) -> {
                            if (engine.get().isDirty(file)) {
                                dirty.add(file);
                            }
                        });
            } catch (ErrnoException e) {
                throw missingOr(e, path);
            }
        }
        return FlushScope.of(dirty);
    }

    private void sync(List<String> paths) throws IOException, RefusedException {
        if (paths.isEmpty()) {
            backing.syncEverything();
        }
        for (String path : paths) {
            try {
                backing.sync(path);
            } catch (ErrnoException e) {
                throw missingOr(e, path);
            }
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

    private ErrnoException missingOr(ErrnoException e, String path) throws RefusedException {
        if (e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR) {
            throw new RefusedException(
                    ExitCode.NO_SUCH_PATH,
                    String.format("There is no %s in %s.", path, plan.mountpoint()),
                    e);
        }
        return e;
    }

    private RefusedException failed(IOException e) {
        return new RefusedException(
                ExitCode.FAILURE,
                String.format(
                        "The backing directory %s could not be made durable: %s.",
                        plan.backing(), e.getMessage()),
                e);
    }

    static RefusedException stopped() {
        return new RefusedException(
                ExitCode.ABORTED,
                "The flush was stopped before its end; what is clean by now stays clean.");
    }
}
