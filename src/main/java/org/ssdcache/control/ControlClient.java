package org.ssdcache.control;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One connection to a daemon's control socket. */
public final class ControlClient implements Closeable {
    private final LineChannel channel;
    private final Deadline deadline;

    private ControlClient(LineChannel channel, Deadline deadline) {
        this.channel = channel;
        this.deadline = deadline;
    }

    /**
     * Connects to the daemon behind a socket.
     *
     * @param deadline when the daemon must have given all answers
     * @throws IOException when there is no socket, or no daemon behind it
     */
    public static ControlClient connect(Path socket, Deadline deadline) throws IOException {
        SocketChannel peer = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        return new ControlClient(new LineChannel(peer, Protocol.MAX_REPLY_BYTES), deadline);
    }

    /** Whether a process listens on the socket. */
    static boolean answers(Path socket) {
        if (!Files.exists(socket)) {
            return false;
        }
        try (SocketChannel peer = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return peer.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** The object of {@code status --json}. */
    public JsonObject status() throws IOException, RefusedException {
        return call(Protocol.request(Protocol.STATUS));
    }

    public void set(Map<String, String> values) throws IOException, RefusedException {
        JsonObject object = new JsonObject();
        values.forEach(object::addProperty);
        JsonObject request = Protocol.request(Protocol.SET);
        request.add("values", object);
        call(request);
    }

    /** See {@link MountControl#flush}. */
    public void flush(List<String> paths) throws IOException, RefusedException {
        JsonArray array = new JsonArray();
        paths.forEach(array::add);
        JsonObject request = Protocol.request(Protocol.FLUSH);
        request.add("paths", array);
        call(request);
    }

    /** See {@link MountControl#unmount}. */
    public void unmount(boolean flush) throws IOException, RefusedException {
        JsonObject request = Protocol.request(Protocol.UNMOUNT);
        request.addProperty("flush", flush);
        call(request);
    }

    private JsonObject call(JsonObject request) throws IOException, RefusedException {
        String line;
        try {
            if (deadline.remaining().isZero()) {
                throw new SocketTimeoutException("no time to ask");
            }
            channel.writeLine(request.toString(), deadline.remaining());
            line = channel.readLine(deadline.remaining());
        } catch (SocketTimeoutException e) {
            throw new RefusedException(
                    ExitCode.TIMEOUT,
                    "The daemon has not answered in time; what it was asked for may still be going"
                            + " on.",
                    e);
        }
        if (line == null) {
            throw new RefusedException(
                    ExitCode.DAEMON_DIED, "The daemon ended before it answered; see its log.");
        }
        return result(line);
    }

    private static JsonObject result(String line) throws IOException, RefusedException {
        try {
            JsonObject reply = JsonParser.parseString(line).getAsJsonObject();
            if (reply.get("ok").getAsBoolean()) {
                return reply.getAsJsonObject("result");
            }
            throw new RefusedException(
                    ExitCode.of(reply.get("exit_code").getAsInt()),
                    reply.get("error").getAsString());
        } catch (JsonParseException | IllegalStateException | NullPointerException e) {
            throw new IOException("the daemon's answer is not understood", e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
