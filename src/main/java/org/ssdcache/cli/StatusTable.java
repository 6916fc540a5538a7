package org.ssdcache.cli;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Locale;
import org.ssdcache.daemon.ByteSize;

/** The status of one mount for people. */
final class StatusTable {
    private static final String TOTAL = "total";
    private static final List<String> WINDOWS = List.of(TOTAL, "day", "hour", "five_minute");

    /** Counts of up to twelve digits stay in their columns. */
    private static final String ROW = "  %-16s %12s %12s %12s %12s%n";

    private static final String TRANSFERS = "  %-16s %12s %12s %12s%n";

    private StatusTable() {}

    static String format(JsonObject status) {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format("%s on %s%n", text(status, "backing"), text(status, "mountpoint")));
        text.append(String.format("  %s%n", cache(status)));
        text.append(
                String.format(
                        "  mode %s, state %s, %s, pid %s%n",
                        text(status, "mode"),
                        text(status, "state"),
                        cutoff(status),
                        text(status, "pid")));
        appendDirty(text, status);
        appendStats(text, status.getAsJsonObject("stats"));
        appendTransfers(text, status);
        return text.toString();
    }

    private static String cache(JsonObject status) {
        return text(status, "cache").isEmpty()
                ? "no cache: it was detached"
                : String.format(
                        "cache %s, %s of %s used, blocks of %s",
                        text(status, "cache"),
                        size(status, "cache_used_bytes"),
                        size(status, "cache_size_bytes"),
                        size(status, "block_size_bytes"));
    }

    private static void appendDirty(StringBuilder text, JsonObject status) {
        if (status.get("dirty_bytes").getAsLong() > 0) {
            text.append(
                    String.format(
                            "  dirty %s (%s%% of the cache is not), the oldest for %s s, written"
                                    + " back at %s/s%n",
                            size(status, "dirty_bytes"),
                            text(status, "cache_available_percent"),
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
        appendRow(text, "evictions", stats, s -> text(s, "evictions"));
        appendRow(text, "bypassed bytes", stats, s -> size(s, "bypassed_bytes"));
        text.append(String.format("  bypasses by reason%n"));
        for (String reason : bypassed(stats.getAsJsonObject(TOTAL)).keySet()) {
            appendRow(text, "  " + reason, stats, s -> text(bypassed(s), reason));
        }
    }

    private static JsonObject bypassed(JsonObject window) {
        return window.getAsJsonObject("bypassed");
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
        text.append(String.format(TRANSFERS, "since creation", "read", "written", "errors"));
        for (String disk : List.of("ssd", "backing")) {
            text.append(
                    String.format(
                            TRANSFERS,
                            disk.equals("ssd") ? "SSD" : disk,
                            size(status, disk + "_read_bytes"),
                            size(status, disk + "_written_bytes"),
                            text(status.getAsJsonObject("errors"), disk)));
        }
    }

    /** Nothing where nothing was read. */
    private static String ratio(JsonObject stats) {
        long reads =
                stats.get("cache_hits").getAsLong()
                        + stats.get("cache_partial_hits").getAsLong()
                        + stats.get("cache_misses").getAsLong();
        return reads == 0
                ? "-"
                : String.format(
                        Locale.ROOT, "%.1f%%", 100 * stats.get("cache_hit_ratio").getAsDouble());
    }

    private static String cutoff(JsonObject status) {
        return status.get("sequential_cutoff_bytes").getAsLong() == 0
                ? "no sequential cutoff"
                : "sequential cutoff " + size(status, "sequential_cutoff_bytes");
    }

    private static String text(JsonObject object, String name) {
        return object.get(name).getAsString();
    }

    private static String size(JsonObject object, String name) {
        return ByteSize.format(object.get(name).getAsLong());
    }
}
