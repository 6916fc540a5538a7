package org.ssdcache.control;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Optional;

/**
 * The words of the control protocol. A request is one line, an object with {@code version} and
 * {@code op}; the reply is one line, an object with {@code ok}, and either {@code result} or {@code
 * exit_code} and {@code error}. Before it there may be lines with {@code progress}, for a request
 * that has {@code "progress":true}; older daemons send none, and older commands ask for none.
 */
final class Protocol {
    /** Raised when an old command could misunderstand a new daemon or the other way round. */
    static final int VERSION = 1;

    /** Longest request: a few hundred paths of the greatest length Linux knows. */
    static final int MAX_REQUEST_BYTES = 1 << 20;

    /** Longest reply; a status is about 3 KB. */
    static final int MAX_REPLY_BYTES = 1 << 20;

    static final String STATUS = "status";
    static final String SET = "set";
    static final String FLUSH = "flush";
    static final String UNMOUNT = "unmount";
    static final String DETACH = "detach";
    static final String ATTACH = "attach";

    /** In a request: whether progress is wanted; in a line that is no reply: the progress. */
    static final String PROGRESS = "progress";

    private static final String DONE_BLOCKS = "done_blocks";
    private static final String TOTAL_BLOCKS = "total_blocks";
    private static final String DONE_BYTES = "done_bytes";
    private static final String TOTAL_BYTES = "total_bytes";
    private static final String ERROR = "error";
    private static final String DIRTY_BLOCKS = "dirty_blocks";
    private static final String DIRTY_BYTES = "dirty_bytes";

    private Protocol() {}

    static JsonObject request(String operation) {
        JsonObject request = new JsonObject();
        request.addProperty("version", VERSION);
        request.addProperty("op", operation);
        return request;
    }

    static JsonObject progress(FlushProgress progress) {
        JsonObject counts = new JsonObject();
        counts.addProperty(DONE_BLOCKS, progress.doneBlocks());
        counts.addProperty(TOTAL_BLOCKS, progress.totalBlocks());
        counts.addProperty(DONE_BYTES, progress.doneBytes());
        counts.addProperty(TOTAL_BYTES, progress.totalBytes());
        progress.error().ifPresent(error -> counts.addProperty(ERROR, error));
        JsonObject line = new JsonObject();
        line.addProperty("version", VERSION);
        line.add(PROGRESS, counts);
        return line;
    }

    /** The progress that a line tells of; empty for a reply. */
    static Optional<FlushProgress> progressOf(JsonObject line) {
        if (!line.has(PROGRESS)) {
            return Optional.empty();
        }
        JsonObject counts = line.getAsJsonObject(PROGRESS);
        return Optional.of(
                new FlushProgress(
                        counts.get(DONE_BLOCKS).getAsLong(),
                        counts.get(TOTAL_BLOCKS).getAsLong(),
                        counts.get(DONE_BYTES).getAsLong(),
                        counts.get(TOTAL_BYTES).getAsLong(),
                        Optional.ofNullable(counts.get(ERROR)).map(JsonElement::getAsString)));
    }

    static JsonObject result(DirtyLeft left) {
        JsonObject result = new JsonObject();
        result.addProperty(DIRTY_BLOCKS, left.blocks());
        result.addProperty(DIRTY_BYTES, left.bytes());
        return result;
    }

    /** An older daemon, which left nothing, says nothing. */
    static DirtyLeft leftOf(JsonObject result) {
        return result.has(DIRTY_BLOCKS)
                ? new DirtyLeft(
                        result.get(DIRTY_BLOCKS).getAsLong(), result.get(DIRTY_BYTES).getAsLong())
                : new DirtyLeft(0, 0);
    }

    static JsonObject success(JsonObject result) {
        JsonObject reply = new JsonObject();
        reply.addProperty("version", VERSION);
        reply.addProperty("ok", true);
        reply.add("result", result);
        return reply;
    }

    static JsonObject refusal(ExitCode code, String sentence) {
        JsonObject reply = new JsonObject();
        reply.addProperty("version", VERSION);
        reply.addProperty("ok", false);
        reply.addProperty("exit_code", code.number());
        reply.addProperty(ERROR, sentence);
        return reply;
    }
}
