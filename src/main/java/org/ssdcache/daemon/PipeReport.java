package org.ssdcache.daemon;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.control.ExitCode;
import org.ssdcache.io.Posix;

/**
 * Reports to the command that started the daemon through a pipe, an object of JSON a line. The pipe
 * closes by itself when the daemon dies, so the command never waits in vain.
 */
public final class PipeReport implements StartupReport {
    private static final Logger LOG = LoggerFactory.getLogger(PipeReport.class);

    private final int fd;
    private final OutputStream pipe;

    /** One line, as the command sees it. */
    record Line(Optional<String> progress, boolean ready, ExitCode code, String sentence) {
        static Line parse(String text) throws IOException {
            try {
                JsonObject object = JsonParser.parseString(text).getAsJsonObject();
                return new Line(
                        Optional.ofNullable(object.get("progress")).map(e -> e.getAsString()),
                        object.has("ready"),
                        ExitCode.of(object.has("exit_code") ? number(object) : 0),
                        object.has("error") ? object.get("error").getAsString() : "");
            } catch (JsonParseException | IllegalStateException e) {
                throw new IOException("the daemon reported nonsense: " + text, e);
            }
        }

        private static int number(JsonObject object) {
            return object.get("exit_code").getAsInt();
        }
    }

    /**
     * Takes over the writing end of the pipe.
     *
     * @param fd the descriptor the process was started with
     */
    public PipeReport(int fd) throws IOException {
        this.fd = fd;
        this.pipe = new FileOutputStream("/proc/self/fd/" + fd);
    }

    @Override
    public void progress(String what) {
        JsonObject line = new JsonObject();
        line.addProperty("progress", what);
        send(line);
    }

    @Override
    public void ready() {
        JsonObject line = new JsonObject();
        line.addProperty("ready", true);
        send(line);
        close();
    }

    @Override
    public void failed(ExitCode code, String sentence) {
        JsonObject line = new JsonObject();
        line.addProperty("exit_code", code.number());
        line.addProperty("error", sentence);
        send(line);
        close();
    }

    private void send(JsonObject line) {
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            pipe.flush();
        } catch (IOException e) {
            LOG.debug("The command that started this daemon is gone: {}", e.getMessage());
        }
    }

    private void close() {
        try {
            pipe.close();
            Posix.close(fd);
        } catch (IOException | LinkageError e) {
            // Without its native library the daemon ends, and its end closes the pipe.
            LOG.warn("The report's pipe could not be closed: {}", e.getMessage());
        }
    }
}
