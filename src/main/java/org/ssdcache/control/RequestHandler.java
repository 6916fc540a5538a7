package org.ssdcache.control;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns one request line into one reply line, whatever the request looks like, and any number of
 * progress lines before it.
 */
final class RequestHandler {
    private static final Logger LOG = LoggerFactory.getLogger(RequestHandler.class);

    private final MountControl control;

    RequestHandler(MountControl control) {
        this.control = control;
    }

    /**
     * Carries out a request.
     *
     * @param sender gets the progress, if the request asks for it
     */
    String answer(String line, FlushProgress.Listener sender) {
        try {
            return Protocol.success(carryOut(parse(line), sender)).toString();
        } catch (RefusedException e) {
            return Protocol.refusal(e.code(), e.getMessage()).toString();
        } catch (RuntimeException e) {
            LOG.error("A control request failed unexpectedly", e);
            return Protocol.refusal(ExitCode.FAILURE, "The daemon failed: " + e + ".").toString();
        }
    }

    private JsonObject carryOut(JsonObject request, FlushProgress.Listener sender)
            throws RefusedException {
        String operation = text(request, "op");
        FlushProgress.Listener listener = wants(request) ? sender : FlushProgress.Listener.NONE;
        switch (operation) {
            case Protocol.STATUS -> {
                return StatusJson.format(control.status());
            }
            case Protocol.SET -> control.set(values(request));
            case Protocol.FLUSH -> control.flush(paths(request), listener);
            case Protocol.DETACH -> control.detach(listener);
            case Protocol.ATTACH -> control.attach(values(request));
            case Protocol.UNMOUNT -> {
                return Protocol.result(control.unmount(flag(request, "flush"), listener));
            }
            default ->
                    throw new RefusedException(
                            ExitCode.UNSUPPORTED,
                            String.format("The daemon knows no request \"%s\".", operation));
        }
        return new JsonObject();
    }

    private static JsonObject parse(String line) throws RefusedException {
        JsonElement element;
        try {
            element = JsonParser.parseString(line);
        } catch (JsonParseException | StackOverflowError e) {
            throw malformed();
        }
        if (!element.isJsonObject()) {
            throw malformed();
        }
        JsonObject request = element.getAsJsonObject();
        String version = text(request, "version");
        if (!version.equals(Integer.toString(Protocol.VERSION))) {
            throw new RefusedException(
                    ExitCode.UNSUPPORTED,
                    String.format(
                            "The daemon speaks version %d of the control protocol, not %s; use the"
                                    + " ssdcache command of the version that made the mount.",
                            Protocol.VERSION, version));
        }
        return request;
    }

    private static Map<String, String> values(JsonObject request) throws RefusedException {
        JsonElement element = request.get("values");
        if (element == null || !element.isJsonObject()) {
            throw malformed();
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (String key : element.getAsJsonObject().keySet()) {
            values.put(key, text(element.getAsJsonObject(), key));
        }
        return values;
    }

    private static List<String> paths(JsonObject request) throws RefusedException {
        JsonElement element = request.get("paths");
        if (element == null || !element.isJsonArray()) {
            throw malformed();
        }
        List<String> paths = new ArrayList<>();
        for (JsonElement path : element.getAsJsonArray()) {
            if (!path.isJsonPrimitive()) {
                throw malformed();
            }
            paths.add(path.getAsString());
        }
        return paths;
    }

    private static String text(JsonObject object, String name) throws RefusedException {
        JsonElement element = object.get(name);
        if (element == null || !element.isJsonPrimitive()) {
            throw malformed();
        }
        return element.getAsString();
    }

    private static boolean flag(JsonObject object, String name) throws RefusedException {
        if (object.get(name) instanceof JsonPrimitive value && value.isBoolean()) {
            return value.getAsBoolean();
        }
        throw malformed();
    }

    private static boolean wants(JsonObject request) throws RefusedException {
        return request.has(Protocol.PROGRESS) && flag(request, Protocol.PROGRESS);
    }

    private static RefusedException malformed() {
        return new RefusedException(ExitCode.USAGE, "The request is not understood.");
    }
}
