package org.ssdcache.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.testing.FakeClock;

class CounterHistoryTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;

    @TempDir private Path directory;

    private final FakeClock clock = new FakeClock();
    private final Counters counters = new Counters();
    private final CounterHistory history = new CounterHistory(counters, clock);

    private long hits(CounterHistory of, Window window) {
        return of.read().get(window).get(Counter.CACHE_HITS);
    }

    private void assertHits(long total, long day, long hour, long fiveMinute) {
        assertEquals(total, hits(history, Window.TOTAL), "total");
        assertEquals(day, hits(history, Window.DAY), "day");
        assertEquals(hour, hits(history, Window.HOUR), "hour");
        assertEquals(fiveMinute, hits(history, Window.FIVE_MINUTE), "five minutes");
    }

    @Test
    void countsAreInEveryWindowAtOnce() {
        counters.add(Counter.CACHE_HITS, 7);
        assertHits(7, 7, 7, 7);
    }

    @Test
    void countsLeaveTheWindowsOneAfterTheOther() {
        counters.add(Counter.CACHE_HITS, 7);
        history.sample();
        clock.advanceNanos(4 * MINUTE + 40 * SECOND);
        counters.add(Counter.CACHE_HITS, 1);
        assertHits(8, 8, 8, 8);
        clock.advanceNanos(MINUTE);
        assertHits(8, 8, 8, 1);
        clock.advanceNanos(HOUR);
        assertHits(8, 8, 0, 0);
        clock.advanceNanos(24 * HOUR);
        assertHits(8, 0, 0, 0);
    }

    @Test
    void aWindowReachesBackAtLeastItsLengthLessOneStep() {
        for (int i = 0; i < 60; i++) {
            counters.add(Counter.CACHE_HITS, 1);
            history.sample();
            clock.advanceNanos(10 * SECOND);
        }
        assertEquals(29, hits(history, Window.FIVE_MINUTE));
    }

    @Test
    void aClockSetBackKeepsTheCounts() {
        counters.add(Counter.CACHE_HITS, 7);
        history.sample();
        clock.setWallNanos(clock.wallNanos() - 3 * HOUR);
        counters.add(Counter.CACHE_HITS, 1);
        assertHits(8, 8, 8, 8);
        clock.advanceNanos(6 * MINUTE);
        assertHits(8, 8, 8, 0);
    }

    @Test
    void aRemountGoesOnWhereTheLastOneEnded() throws IOException {
        Path file = directory.resolve("history.json");
        counters.add(Counter.CACHE_HITS, 7);
        counters.add(Counter.SSD_READ_BYTES, Long.MAX_VALUE / 2);
        history.save(file);
        clock.advanceNanos(10 * MINUTE);

        Counters fresh = new Counters();
        CounterHistory loaded = CounterHistory.load(file, fresh, clock);
        fresh.add(Counter.CACHE_HITS, 2);
        assertEquals(9, hits(loaded, Window.TOTAL));
        assertEquals(9, hits(loaded, Window.HOUR));
        assertEquals(2, hits(loaded, Window.FIVE_MINUTE));
        CounterValues total = loaded.read().get(Window.TOTAL);
        assertEquals(Long.MAX_VALUE / 2, total.get(Counter.SSD_READ_BYTES));
    }

    @Test
    void savingReplacesTheFileAndLeavesNothingElse() throws IOException {
        Path file = directory.resolve("history.json");
        history.save(file);
        counters.add(Counter.CACHE_HITS, 3);
        history.save(file);
        assertEquals(3, hits(CounterHistory.load(file, new Counters(), clock), Window.TOTAL));
        assertFalse(Files.exists(directory.resolve("history.json.new")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "[]",
                "{}",
                "{\"version\":2}",
                "{\"version\":1,\"total\":{\"cache_hits\":\"x\"}}",
                "{\"version\":1,\"total\":{},\"day\":{\"newest_bucket\":1,\"cache_hits\":7}}",
            })
    void anUnreadableFileBeginsAnew(String content) throws IOException {
        Path file = directory.resolve("history.json");
        Files.writeString(file, content);
        counters.add(Counter.CACHE_HITS, 1);
        assertEquals(1, hits(CounterHistory.load(file, counters, clock), Window.TOTAL));
    }

    @Test
    void aFileThatIsNoTextBeginsAnew() throws IOException {
        Path file = directory.resolve("history.json");
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertEquals(0, hits(CounterHistory.load(file, counters, clock), Window.TOTAL));
    }

    @Test
    void hitRatioCountsPartialHitsAsMisses() {
        assertEquals(0, history.read().get(Window.TOTAL).hitRatio());
        counters.add(Counter.CACHE_HITS, 6);
        counters.add(Counter.CACHE_PARTIAL_HITS, 1);
        counters.add(Counter.CACHE_MISSES, 1);
        assertEquals(0.75, history.read().get(Window.TOTAL).hitRatio());
    }
}
