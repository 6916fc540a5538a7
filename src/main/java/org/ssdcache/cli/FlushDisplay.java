package org.ssdcache.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.daemon.ByteSize;

/**
 * Shows how a flush goes on: a bar on a terminal, elsewhere a line now and then, none for a flush
 * that is done at once.
 */
final class FlushDisplay implements Consumer<FlushProgress>, AutoCloseable {
    /** Between two lines where there is no terminal. */
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int BAR_LENGTH = 20;

    private final PrintWriter out;
    private final ProgressLine line;
    private final long beginNanos;
    private long lineNanos;

    FlushDisplay(PrintWriter out) {
        this(out, new ProgressLine(out), System.nanoTime());
    }

    FlushDisplay(PrintWriter out, ProgressLine line, long nowNanos) {
        this.out = out;
        this.line = line;
        this.beginNanos = nowNanos;
        this.lineNanos = nowNanos;
    }

    @Override
    public void accept(FlushProgress progress) {
        show(progress, System.nanoTime());
    }

    void show(FlushProgress progress, long nowNanos) {
        if (progress.totalBlocks() == 0) {
            return;
        }
        String text = describe(progress, nowNanos - beginNanos);
        if (line.isWatched()) {
            line.show(bar(progress) + " " + text);
        } else if (nowNanos - lineNanos >= LINE_NANOS) {
            lineNanos = nowNanos;
            out.println("ssdcache: flushed " + text);
        }
    }

    private static String bar(FlushProgress progress) {
        int done = (int) (BAR_LENGTH * progress.doneBlocks() / progress.totalBlocks());
        return "flush [" + "#".repeat(done) + "-".repeat(BAR_LENGTH - done) + "]";
    }

    private static String describe(FlushProgress progress, long nanos) {
        String counts =
                String.format(
                        "%d of %d blocks, %s of %s",
                        progress.doneBlocks(),
                        progress.totalBlocks(),
                        ByteSize.format(progress.doneBytes()),
                        ByteSize.format(progress.totalBytes()));
        double seconds = nanos / 1e9;
        if (progress.error().isPresent()) {
            return counts + ", trying again: " + progress.error().get();
        }
        if (progress.doneBytes() == 0 || seconds <= 0) {
            return counts;
        }
        double bytesPerSecond = progress.doneBytes() / seconds;
        double left = (progress.totalBytes() - progress.doneBytes()) / bytesPerSecond;
        return String.format(
                "%s, %s/s, %s left",
                counts, ByteSize.format((long) bytesPerSecond), time((long) Math.ceil(left)));
    }

    private static String time(long seconds) {
        if (seconds < 60) {
            return seconds + " s";
        }
        return seconds < 3600
                ? String.format(Locale.ROOT, "%d:%02d min", seconds / 60, seconds % 60)
                : String.format(Locale.ROOT, "%d:%02d h", seconds / 3600, seconds / 60 % 60);
    }

    @Override
    public void close() {
        line.end();
    }
}
