package org.ssdcache.control;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.util.Optional;

/**
 * One line of a daemon.
 *
 * @param progress how far it is; empty for the reply, after which no more lines come
 * @param result of a request that was carried out; empty for one that was refused
 * @param refusal why not
 */
record Answer(
        Optional<FlushProgress> progress,
        Optional<JsonObject> result,
        Optional<RefusedException> refusal) {

    static Answer parse(String text) throws IOException {
        try {
            JsonObject line = JsonParser.parseString(text).getAsJsonObject();
            Optional<FlushProgress> progress = Protocol.progressOf(line);
            if (progress.isPresent()) {
                return new Answer(progress, Optional.empty(), Optional.empty());
            }
            return line.get("ok").getAsBoolean()
                    ? new Answer(
                            progress, Optional.of(line.getAsJsonObject("result")), Optional.empty())
                    : new Answer(progress, Optional.empty(), Optional.of(refusalOf(line)));
        } catch (JsonParseException
                | IllegalStateException
                | NullPointerException
                | ClassCastException
                | NumberFormatException e) {
            throw new IOException("the daemon's answer is not understood", e);
        }
    }

    private static RefusedException refusalOf(JsonObject line) {
        return new RefusedException(
                ExitCode.of(line.get("exit_code").getAsInt()), line.get("error").getAsString());
    }

    JsonObject resultOrRefusal() throws RefusedException {
        if (refusal.isPresent()) {
            throw refusal.get();
        }
        return result.orElseThrow();
    }
}
