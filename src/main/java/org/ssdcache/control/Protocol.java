package org.ssdcache.control;

import com.google.gson.JsonObject;

/**
 * The words of the control protocol. A request is one line, an object with {@code version} and
 * {@code op}; the reply is one line, an object with {@code ok}, and either {@code result} or {@code
 * exit_code} and {@code error}.
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

    private Protocol() {}

    static JsonObject request(String operation) {
        JsonObject request = new JsonObject();
        request.addProperty("version", VERSION);
        request.addProperty("op", operation);
        return request;
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
        reply.addProperty("error", sentence);
        return reply;
    }
}
