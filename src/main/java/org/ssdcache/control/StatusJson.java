package org.ssdcache.control;

import com.google.gson.JsonObject;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.CounterValues;
import org.ssdcache.metrics.Window;

/** The object that {@code status --json} prints; its names are a stable interface. */
final class StatusJson {
    private static final String BYPASSED = "bypassed_";

    private StatusJson() {}

    static JsonObject format(MountStatus status) {
        JsonObject object = new JsonObject();
        object.addProperty("mountpoint", status.mountpoint());
        object.addProperty("backing", status.backing());
        object.addProperty("cache", status.cache());
        object.addProperty("mode", status.mode());
        object.addProperty("pid", status.pid());
        object.addProperty("state", status.state());
        object.addProperty("block_size_bytes", status.blockSizeBytes());
        object.addProperty("cache_size_bytes", status.cacheSizeBytes());
        object.addProperty("cache_used_bytes", status.cacheUsedBytes());
        object.addProperty("cache_available_percent", status.cacheAvailablePercent());
        object.addProperty("sequential_cutoff_bytes", status.sequentialCutoffBytes());
        object.addProperty("dirty_bytes", status.dirtyBytes());
        object.addProperty("oldest_dirty_seconds", status.oldestDirtySeconds());
        object.addProperty("writeback_rate_bytes_per_second", status.writebackRateBytesPerSecond());
        object.addProperty("writeback_percent", status.writebackPercent());
        object.addProperty("writeback_delay_seconds", status.writebackDelaySeconds());
        JsonObject stats = new JsonObject();
        for (Window window : Window.values()) {
            stats.add(window.label(), stats(status.counts().get(window)));
        }
        object.add("stats", stats);
        addTransfers(object, status.counts().get(Window.TOTAL));
        return object;
    }

    private static JsonObject stats(CounterValues values) {
        JsonObject object = new JsonObject();
        add(object, values, Counter.CACHE_HITS);
        add(object, values, Counter.CACHE_PARTIAL_HITS);
        add(object, values, Counter.CACHE_MISSES);
        object.addProperty("cache_hit_ratio", Math.round(values.hitRatio() * 10_000) / 10_000.0);
        add(object, values, Counter.CACHE_HIT_BYTES);
        add(object, values, Counter.CACHE_MISS_BYTES);
        add(object, values, Counter.CACHE_MISS_COLLISIONS);
        add(object, values, Counter.EVICTIONS);
        add(object, values, Counter.BYPASSED_BYTES);
        JsonObject bypassed = new JsonObject();
        for (Counter counter : Counter.values()) {
            if (counter.label().startsWith(BYPASSED) && counter != Counter.BYPASSED_BYTES) {
                String reason = counter.label().substring(BYPASSED.length());
                bypassed.addProperty(reason, values.get(counter));
            }
        }
        object.add("bypassed", bypassed);
        return object;
    }

    private static void addTransfers(JsonObject object, CounterValues total) {
        add(object, total, Counter.SSD_WRITTEN_BYTES);
        add(object, total, Counter.SSD_READ_BYTES);
        add(object, total, Counter.BACKING_WRITTEN_BYTES);
        add(object, total, Counter.BACKING_READ_BYTES);
        JsonObject errors = new JsonObject();
        errors.addProperty("ssd", total.get(Counter.SSD_ERRORS));
        errors.addProperty("backing", total.get(Counter.BACKING_ERRORS));
        object.add("errors", errors);
    }

    private static void add(JsonObject object, CounterValues values, Counter counter) {
        object.addProperty(counter.label(), values.get(counter));
    }
}
