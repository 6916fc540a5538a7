package org.ssdcache.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.io.AtomicFile;
import org.ssdcache.io.Clock;

/**
 * The counters since the cache was made and over the last day, hour and five minutes. Kept in a
 * file beside the cache, so that a remount goes on where the last one ended.
 *
 * <p>Counts enter the windows when {@link #sample} runs; call it at least every ten seconds.
 */
public final class CounterHistory {
    private static final Logger LOG = LoggerFactory.getLogger(CounterHistory.class);

    private final Counters counters;
    private final Clock clock;

    @GuardedBy("this")
    private final long[] total = new long[Counter.count()];

    @GuardedBy("this")
    private final long[] sampled = new long[Counter.count()];

    @GuardedBy("this")
    private final Map<Window, SlidingWindow> windows = new EnumMap<>(Window.class);

    /** A history that begins now. */
    public CounterHistory(Counters counters, Clock clock) {
        this.counters = counters;
        this.clock = clock;
        long now = clock.wallNanos();
        for (Window window : Window.values()) {
            if (window.slides()) {
                windows.put(window, new SlidingWindow(window, now));
            }
        }
    }

    /**
     * Goes on from a saved history. Statistics are not worth refusing a mount for: a file that
     * cannot be read is reported in the log and the history begins anew.
     */
    public static CounterHistory load(Path file, Counters counters, Clock clock) {
        CounterHistory history = new CounterHistory(counters, clock);
        try {
            String text = Files.readString(file);
            history.restore(HistoryJson.parse(text));
        } catch (NoSuchFileException e) {
            LOG.info("Statistics begin now: there is no {}", file);
        } catch (IOException | HistoryJson.UnreadableException e) {
            LOG.warn("Statistics begin anew, {} cannot be read: {}", file, e.getMessage());
        }
        return history;
    }

    /** Takes what was counted since the last call into the windows. */
    public synchronized void sample() {
        long[] deltas = new long[Counter.count()];
        for (Counter counter : Counter.values()) {
            int i = counter.index();
            long value = counters.total(counter);
            deltas[i] = value - sampled[i];
            sampled[i] = value;
            total[i] += deltas[i];
        }
        long now = clock.wallNanos();
        for (SlidingWindow window : windows.values()) {
            window.add(deltas, now);
        }
    }

    /** The counts of every window up to this moment. */
    public synchronized Map<Window, CounterValues> read() {
        sample();
        long now = clock.wallNanos();
        Map<Window, CounterValues> values = new EnumMap<>(Window.class);
        values.put(Window.TOTAL, CounterValues.copyOf(total));
        windows.forEach((name, window) -> values.put(name, CounterValues.copyOf(window.sum(now))));
        return values;
    }

    /** Replaces the file as a whole; after a crash it holds this or the former state. */
    public void save(Path file) throws IOException {
        String text;
        synchronized (this) {
            sample();
            text = HistoryJson.format(total, windows);
        }
        AtomicFile.replace(file, text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    private synchronized void restore(HistoryJson.Saved saved) {
        for (Counter counter : Counter.values()) {
            total[counter.index()] = saved.total(counter);
            windows.forEach(
                    (name, window) ->
                            window.restore(
                                    saved.newestBucket(name),
                                    counter,
                                    saved.newestFirst(name, counter)));
        }
    }
}
