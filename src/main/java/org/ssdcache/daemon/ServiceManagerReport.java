package org.ssdcache.daemon;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.io.NotifySocket;

/**
 * Tells a service manager how the daemon is doing, as sd_notify(3) describes it: when the mount
 * answers, what takes long, and that it takes longer than allowed but goes on.
 */
public final class ServiceManagerReport implements StartupReport {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceManagerReport.class);
    private static final String VARIABLE = "NOTIFY_SOCKET";

    /** How much longer a start or a stop may take after each sign of life. */
    private static final Duration EXTENSION = Duration.ofMinutes(2);

    /** A flush reports every batch. */
    private static final Duration BETWEEN_FLUSH_MESSAGES = Duration.ofSeconds(1);

    private final NotifySocket socket;
    private final StartupReport others;
    private final LongSupplier nanoClock;
    private long flushToldNanos;
    private boolean flushTold;

    ServiceManagerReport(NotifySocket socket, StartupReport others, LongSupplier nanoClock) {
        this.socket = socket;
        this.others = others;
        this.nanoClock = nanoClock;
    }

    /**
     * The report for the service manager that runs this process, if one does.
     *
     * @param environment of the process
     * @param others told everything, too
     */
    public static StartupReport of(Map<String, String> environment, StartupReport others) {
        String name = environment.get(VARIABLE);
        if (name == null || name.isEmpty()) {
            return others;
        }
        try {
            return new ServiceManagerReport(NotifySocket.of(name), others, System::nanoTime);
        } catch (IllegalArgumentException e) {
            LOG.warn("The service manager is not told anything: {}", e.getMessage());
            return others;
        }
    }

    @Override
    public void progress(String what) {
        others.progress(what);
        send(status(what), extension());
    }

    @Override
    public void ready() {
        others.ready();
        send("READY=1", status("serving"));
    }

    @Override
    public void failed(ExitCode code, String sentence) {
        others.failed(code, sentence);
        send(status(sentence));
    }

    /** At most once a second, and when it is done. */
    @Override
    public synchronized void flushing(FlushProgress progress) {
        others.flushing(progress);
        boolean done = progress.doneBlocks() >= progress.totalBlocks();
        long now = nanoClock.getAsLong();
        if (done) {
            if (flushTold) {
                send(status("serving"));
            }
            flushTold = false;
        } else if (!flushTold || now - flushToldNanos >= BETWEEN_FLUSH_MESSAGES.toNanos()) {
            flushTold = true;
            flushToldNanos = now;
            send(
                    status(
                            String.format(
                                    "flushing: %d of %d blocks are home%s",
                                    progress.doneBlocks(),
                                    progress.totalBlocks(),
                                    progress.error().map(error -> ", " + error).orElse(""))),
                    extension());
        }
    }

    @Override
    public void stopping(String what) {
        others.stopping(what);
        send("STOPPING=1", status(what), extension());
    }

    private static String status(String text) {
        return "STATUS=" + text.replace('\n', ' ');
    }

    private static String extension() {
        return "EXTEND_TIMEOUT_USEC=" + EXTENSION.toNanos() / 1000;
    }

    private void send(String... assignments) {
        try {
            socket.send(String.join("\n", assignments));
        } catch (IOException e) {
            LOG.warn("The service manager could not be told {}: {}", assignments, e.getMessage());
        }
    }
}
