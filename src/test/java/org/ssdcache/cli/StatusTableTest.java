package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;

class StatusTableTest {
    private static final String BUSY =
            """
            {"cache_hits": 987654321012, "cache_partial_hits": 0, "cache_misses": 4,
             "cache_hit_ratio": 0.9876, "cache_hit_bytes": 1536, "cache_miss_bytes": 17,
             "cache_miss_collisions": 0, "evictions": 5, "bypassed_bytes": 1048576,
             "bypassed": {"sequential": 1, "congested": 2, "files": 3, "mode": 0, "error": 0}}""";

    private static final String IDLE = BUSY.replaceAll(": [0-9.]+", ": 0");

    private static JsonObject status(long dirtyBytes, long cutoffBytes) {
        String text =
                """
                {"mountpoint": "/m", "backing": "/b", "cache": "/c", "mode": "writethrough",
                 "pid": 42, "state": "clean", "block_size_bytes": 16384,
                 "cache_size_bytes": 10737418240, "cache_used_bytes": 1048576,
                 "cache_available_percent": 75, "sequential_cutoff_bytes": CUTOFF,
                 "dirty_bytes": DIRTY, "oldest_dirty_seconds": 8,
                 "writeback_rate_bytes_per_second": 2048,
                 "stats": {"total": BUSY, "day": BUSY, "hour": BUSY, "five_minute": IDLE},
                 "ssd_written_bytes": 1024, "ssd_read_bytes": 2048, "backing_written_bytes": 0,
                 "backing_read_bytes": 4096, "errors": {"ssd": 7, "backing": 0}}"""
                        .replace("CUTOFF", Long.toString(cutoffBytes))
                        .replace("DIRTY", Long.toString(dirtyBytes))
                        .replace("BUSY", BUSY)
                        .replace("IDLE", IDLE);
        return JsonParser.parseString(text).getAsJsonObject();
    }

    @Test
    void columnsAreAlignedAndEveryReasonIsThere() {
        assertEquals(
                """
                /b on /m
                  cache /c, 1M of 10G used, blocks of 16K
                  mode writethrough, state clean, sequential cutoff 4M, pid 42
                                          total          day         hour        5 min
                  hit ratio               98.8%        98.8%        98.8%            -
                  hits             987654321012 987654321012 987654321012            0
                  partial hits                0            0            0            0
                  misses                      4            4            4            0
                  hit bytes                1.5K         1.5K         1.5K            0
                  miss bytes                 17           17           17            0
                  evictions                   5            5            5            0
                  bypassed bytes             1M           1M           1M            0
                  bypasses by reason
                    sequential                1            1            1            0
                    congested                 2            2            2            0
                    files                     3            3            3            0
                    mode                      0            0            0            0
                    error                     0            0            0            0
                  since creation           read      written       errors
                  SSD                        2K           1K            7
                  backing                    4K            0            0
                """,
                StatusTable.format(status(0, 4 << 20)));
    }

    @Test
    void whatIsDirtyIsShown() {
        String[] lines = StatusTable.format(status(1 << 20, 0)).split("\n", -1);
        assertEquals("  mode writethrough, state clean, no sequential cutoff, pid 42", lines[2]);
        assertEquals(
                "  dirty 1M (75% of the cache is not), the oldest for 8 s, written back at 2K/s",
                lines[3]);
    }
}
