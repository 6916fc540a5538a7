package org.ssdcache.daemon;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

/**
 * Starts a daemon in the background and waits until its mount answers, it says why not, or it dies.
 */
public final class BackgroundMount {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundMount.class);

    /** Without any sign of life from the daemon; making a large cache reports its progress. */
    static final Duration SILENCE_TIMEOUT = Duration.ofSeconds(60);

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);

    private final MountPlan plan;
    private final Consumer<String> progress;
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

    /**
     * Prepares a start.
     *
     * @param progress told what takes long
     */
    public BackgroundMount(MountPlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** Returns once the mount answers. */
    public void start(String mainClass) throws IOException, RefusedException {
        prepareLog();
        Process daemon =
                new ProcessBuilder(DaemonCommand.of(plan, mainClass))
                        .directory(new File("/"))
                        .redirectInput(new File("/dev/null"))
                        .redirectError(ProcessBuilder.Redirect.appendTo(plan.logFile().toFile()))
                        .start();
        Thread abort = new Thread(daemon::destroy, "abort");
        Runtime.getRuntime().addShutdownHook(abort);
        boolean mounted = false;
        try {
            readLinesOf(daemon);
            awaitReady(daemon);
            awaitAnswer();
            mounted = true;
        } finally {
            if (!mounted) {
                daemon.destroy();
            }
            Runtime.getRuntime().removeShutdownHook(abort);
        }
    }

    private void prepareLog() throws IOException {
        Files.createDirectories(plan.logDirectory());
        if (!Files.exists(plan.logFile())) {
            Files.createFile(
                    plan.logFile(),
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-r-----")));
        }
    }

    /** An empty element stands for the end: the daemon has closed the pipe or is dead. */
    private void readLinesOf(Process daemon) {
        Thread reader =
                new Thread(
                        () -> {
                            try (BufferedReader text =
                                    new BufferedReader(
                                            new InputStreamReader(
                                                    daemon.getInputStream(),
                                                    StandardCharsets.UTF_8))) {
                                text.lines().forEach(line -> lines.add(Optional.of(line)));
                            } catch (IOException | UncheckedIOException e) {
                                LOG.debug("The report ended: {}", e.getMessage());
                            } finally {
                                lines.add(Optional.empty());
                            }
                        },
                        "report");
        reader.setDaemon(true);
        reader.start();
    }

    private void awaitReady(Process daemon) throws IOException, RefusedException {
        while (true) {
            Optional<String> text = nextLine();
            if (text.isEmpty()) {
                throw died(daemon);
            }
            PipeReport.Line line = PipeReport.Line.parse(text.get());
            if (line.ready()) {
                return;
            }
            if (line.code() != ExitCode.OK) {
                throw new RefusedException(line.code(), line.sentence());
            }
            line.progress().ifPresent(progress);
        }
    }

    private Optional<String> nextLine() throws RefusedException {
        try {
            Optional<String> line = lines.poll(SILENCE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            if (line != null) {
                return line;
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
        throw new RefusedException(
                ExitCode.TIMEOUT,
                String.format(
                        "The daemon has given no sign of life for %d seconds and was ended; its"
                                + " log is %s.",
                        SILENCE_TIMEOUT.toSeconds(), plan.logFile()));
    }

    private RefusedException died(Process daemon) {
        String end;
        try {
            boolean ended = daemon.waitFor(ANSWER_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            end = ended ? "with exit code " + daemon.exitValue() : "without an exit code";
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
        return new RefusedException(
                ExitCode.DAEMON_DIED,
                String.format(
                        "The daemon died while it started, %s; its log %s ends with: %s",
                        end, plan.logFile(), lastLogLine(plan.logFile())));
    }

    private static String lastLogLine(Path log) {
        try {
            List<String> text =
                    new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines().toList();
            return text.isEmpty() ? "nothing" : text.get(text.size() - 1);
        } catch (IOException e) {
            return "(it cannot be read: " + Directories.reason(e) + ")";
        }
    }

    /** A thread of its own asks, because a mount that does not answer blocks whoever asks. */
    private void awaitAnswer() throws RefusedException {
        BlockingQueue<Optional<IOException>> answer = new LinkedBlockingQueue<>();
        Thread asker = new Thread(() -> answer.add(ask()), "ask");
        asker.setDaemon(true);
        asker.start();
        Optional<IOException> result;
        try {
            result = answer.poll(ANSWER_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
        if (result == null) {
            throw new RefusedException(
                    ExitCode.TIMEOUT,
                    String.format(
                            "The mount %s does not answer; its log is %s.",
                            plan.mountpoint(), plan.logFile()));
        }
        if (result.isPresent()) {
            throw new RefusedException(
                    ExitCode.DAEMON_DIED,
                    String.format(
                            "The mount %s fails (%s); its log is %s.",
                            plan.mountpoint(), Directories.reason(result.get()), plan.logFile()),
                    result.get());
        }
    }

    private Optional<IOException> ask() {
        try {
            boolean mounted =
                    Files.getFileStore(plan.mountpoint()).type().equals(MountTable.TYPE)
                            && Files.isDirectory(plan.mountpoint());
            return mounted ? Optional.empty() : Optional.of(new IOException("it is not there"));
        } catch (IOException e) {
            return Optional.of(e);
        }
    }
}
