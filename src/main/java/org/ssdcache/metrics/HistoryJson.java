package org.ssdcache.metrics;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.EnumMap;
import java.util.Map;

/**
 * The saved form of a {@link CounterHistory}: counters by name, so that a later version may add
 * some; a counter that is missing is zero, an unknown one is dropped.
 */
final class HistoryJson {
    private static final int VERSION = 1;

    private HistoryJson() {}

    /** The text is not a history of this version. */
    static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A checked history: every access below succeeds. */
    static final class Saved {
        private final Map<Counter, Long> total = new EnumMap<>(Counter.class);
        private final Map<Window, Long> newestBuckets = new EnumMap<>(Window.class);
        private final Map<Window, Map<Counter, long[]>> buckets = new EnumMap<>(Window.class);

        long total(Counter counter) {
            return total.getOrDefault(counter, 0L);
        }

        long newestBucket(Window window) {
            return newestBuckets.get(window);
        }

        long[] newestFirst(Window window, Counter counter) {
            return buckets.get(window).getOrDefault(counter, new long[0]);
        }
    }

    static String format(long[] total, Map<Window, SlidingWindow> windows) {
        JsonObject root = new JsonObject();
        root.addProperty("version", VERSION);
        JsonObject totals = new JsonObject();
        for (Counter counter : Counter.values()) {
            totals.addProperty(counter.label(), total[counter.index()]);
        }
        root.add(Window.TOTAL.label(), totals);
        windows.forEach((name, window) -> root.add(name.label(), format(window)));
        return root.toString();
    }

    private static JsonObject format(SlidingWindow window) {
        JsonObject object = new JsonObject();
        object.addProperty("newest_bucket", window.newestBucket());
        for (Counter counter : Counter.values()) {
            JsonArray values = new JsonArray();
            for (long value : window.newestFirst(counter)) {
                values.add(value);
            }
            object.add(counter.label(), values);
        }
        return object;
    }

    static Saved parse(String text) throws UnreadableException {
        try {
            JsonObject root = JsonParser.parseString(text).getAsJsonObject();
            int version = root.get("version").getAsInt();
            if (version != VERSION) {
                throw new UnreadableException("version " + version + " is not known", null);
            }
            return parse(root);
        } catch (JsonParseException
                | IllegalStateException
                | UnsupportedOperationException
                | NumberFormatException
                | NullPointerException
                | ClassCastException e) {
            throw new UnreadableException("it is not a saved history", e);
        }
    }

    private static Saved parse(JsonObject root) {
        Saved saved = new Saved();
        JsonObject totals = root.getAsJsonObject(Window.TOTAL.label());
        for (Counter counter : Counter.values()) {
            if (totals.has(counter.label())) {
                saved.total.put(counter, totals.get(counter.label()).getAsLong());
            }
        }
        for (Window window : Window.values()) {
            if (window.slides()) {
                JsonObject object = root.getAsJsonObject(window.label());
                saved.newestBuckets.put(window, object.get("newest_bucket").getAsLong());
                saved.buckets.put(window, parseBuckets(object));
            }
        }
        return saved;
    }

    private static Map<Counter, long[]> parseBuckets(JsonObject object) {
        Map<Counter, long[]> buckets = new EnumMap<>(Counter.class);
        for (Counter counter : Counter.values()) {
            JsonElement values = object.get(counter.label());
            if (values != null) {
                buckets.put(
                        counter,
                        values.getAsJsonArray().asList().stream()
                                .mapToLong(JsonElement::getAsLong)
                                .toArray());
            }
        }
        return buckets;
    }
}
