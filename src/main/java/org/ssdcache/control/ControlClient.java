package org.ssdcache.control;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

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
        call(requestWith(Protocol.SET, values));
    }

    /** See {@link MountControl#attach}. */
    public void attach(Map<String, String> values) throws IOException, RefusedException {
        call(requestWith(Protocol.ATTACH, values));
    }

    private static JsonObject requestWith(String operation, Map<String, String> values) {
        JsonObject object = new JsonObject();
        values.forEach(object::addProperty);
        JsonObject request = Protocol.request(operation);
        request.add("values", object);
        return request;
    }

    /** See {@link MountControl#detach}. */
    public void detach(Consumer<FlushProgress> progress) throws IOException, RefusedException {
        JsonObject request = Protocol.request(Protocol.DETACH);
        request.addProperty(Protocol.PROGRESS, true);
        call(request, progress);
    }

    /** See {@link MountControl#flush}. */
    public void flush(List<String> paths, Consumer<FlushProgress> progress)
            throws IOException, RefusedException {
        JsonArray array = new JsonArray();
        paths.forEach(array::add);
        JsonObject request = Protocol.request(Protocol.FLUSH);
        request.add("paths", array);
        request.addProperty(Protocol.PROGRESS, true);
        call(request, progress);
    }

    /** See {@link MountControl#unmount}. */
    public DirtyLeft unmount(boolean flush, Consumer<FlushProgress> progress)
            throws IOException, RefusedException {
        JsonObject request = Protocol.request(Protocol.UNMOUNT);
        request.addProperty("flush", flush);
        request.addProperty(Protocol.PROGRESS, true);
        return Protocol.leftOf(call(request, progress));
    }

    private JsonObject call(JsonObject request) throws IOException, RefusedException {
        return call(request, progress -> {});
    }

    /** Sends a request and reads lines until one is the reply. */
    private JsonObject call(JsonObject request, Consumer<FlushProgress> progress)
            throws IOException, RefusedException {
        Optional<String> error = Optional.empty();
        try {
            send(request);
            while (true) {
                Answer answer = Answer.parse(nextLine());
                if (answer.progress().isEmpty()) {
                    return answer.resultOrRefusal();
                }
                progress.accept(answer.progress().get());
                error = answer.progress().get().error();
            }
        } catch (SocketTimeoutException e) {
            throw late(error, e);
        }
    }

    private void send(JsonObject request) throws IOException {
        if (deadline.remaining().isZero()) {
            throw new SocketTimeoutException("no time to ask");
        }
        channel.writeLine(request.toString(), deadline.remaining());
    }

    private String nextLine() throws IOException, RefusedException {
        String line = channel.readLine(deadline.remaining());
        if (line == null) {
            throw new RefusedException(
                    ExitCode.DAEMON_DIED, "The daemon ended before it answered; see its log.");
        }
        return line;
    }

    private static RefusedException late(Optional<String> error, SocketTimeoutException e) {
        return new RefusedException(
                ExitCode.TIMEOUT,
                "The daemon has not answered in time; what it was asked for may still be going"
                        + " on."
                        + error.map(text -> " The last error was: " + text + ".").orElse(""),
                e);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
