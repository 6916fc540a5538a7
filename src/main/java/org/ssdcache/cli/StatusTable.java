package org.ssdcache.cli;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Locale;
import org.ssdcache.daemon.ByteSize;

/** The status of one mount for people. */
final class StatusTable {
    private static final List<String> WINDOWS = List.of("total", "day", "hour", "five_minute");
    private static final String ROW = "  %-14s %10s %10s %10s %10s%n";

    private StatusTable() {}

    static String format(JsonObject status) {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format("%s on %s%n", text(status, "backing"), text(status, "mountpoint")));
        text.append(
                String.format(
                        "  cache %s, %s of %s used, blocks of %s%n",
                        text(status, "cache"),
                        size(status, "cache_used_bytes"),
                        size(status, "cache_size_bytes"),
                        size(status, "block_size_bytes")));
        text.append(
                String.format(
                        "  mode %s, state %s, sequential cutoff %s, pid %s%n",
                        text(status, "mode"),
                        text(status, "state"),
                        size(status, "sequential_cutoff_bytes"),
                        text(status, "pid")));
        appendDirty(text, status);
        appendStats(text, status.getAsJsonObject("stats"));
        appendTransfers(text, status);
        return text.toString();
    }

    private static void appendDirty(StringBuilder text, JsonObject status) {
        if (status.get("dirty_bytes").getAsLong() > 0) {
            text.append(
                    String.format(
                            "  dirty %s, the oldest for %s s, written back at %s/s%n",
                            size(status, "dirty_bytes"),
                            text(status, "oldest_dirty_seconds"),
                            size(status, "writeback_rate_bytes_per_second")));
        }
    }

    private static void appendStats(StringBuilder text, JsonObject stats) {
        text.append(String.format(ROW, "", "total", "day", "hour", "5 min"));
        appendRow(text, "hit ratio", stats, StatusTable::ratio);
        appendRow(text, "hits", stats, s -> text(s, "cache_hits"));
        appendRow(text, "partial hits", stats, s -> text(s, "cache_partial_hits"));
        appendRow(text, "misses", stats, s -> text(s, "cache_misses"));
        appendRow(text, "hit bytes", stats, s -> size(s, "cache_hit_bytes"));
        appendRow(text, "miss bytes", stats, s -> size(s, "cache_miss_bytes"));
        appendRow(text, "bypassed", stats, s -> size(s, "bypassed_bytes"));
        appendRow(text, "evictions", stats, s -> text(s, "evictions"));
    }

    private static void appendRow(
            StringBuilder text,
            String label,
            JsonObject stats,
            java.util.function.Function<JsonObject, String> cell) {
        Object[] cells = new Object[WINDOWS.size() + 1];
        cells[0] = label;
        for (int i = 0; i < WINDOWS.size(); i++) {
            cells[i + 1] = cell.apply(stats.getAsJsonObject(WINDOWS.get(i)));
        }
        text.append(String.format(ROW, cells));
    }

    private static void appendTransfers(StringBuilder text, JsonObject status) {
        JsonObject errors = status.getAsJsonObject("errors");
        text.append(
                String.format(
                        "  SSD read %s, written %s, errors %s; backing read %s, written %s,"
                                + " errors %s%n",
                        size(status, "ssd_read_bytes"),
                        size(status, "ssd_written_bytes"),
                        text(errors, "ssd"),
                        size(status, "backing_read_bytes"),
                        size(status, "backing_written_bytes"),
                        text(errors, "backing")));
    }

    private static String ratio(JsonObject stats) {
        return String.format(
                Locale.ROOT, "%.1f %%", 100 * stats.get("cache_hit_ratio").getAsDouble());
    }

    private static String text(JsonObject object, String name) {
        return object.get(name).getAsString();
    }

    private static String size(JsonObject object, String name) {
        return ByteSize.format(object.get(name).getAsLong());
    }
}
