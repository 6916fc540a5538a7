package org.ssdcache.control;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control socket of one mount. A thread accepts, one thread serves each connection; their
 * number, the length of a request and the time it may take are bounded, so that a client that sends
 * nonsense, or nothing, costs little and disturbs nobody.
 */
public final class ControlServer implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);
    private static final int MAX_CONNECTIONS = 16;
    private static final Duration CLIENT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final Path path;
    private final ServerSocketChannel server;
    private final PeerCheck peers;
    private final RequestHandler handler;
    private final Duration clientTimeout;
    private final Semaphore free = new Semaphore(MAX_CONNECTIONS);
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();

    private ControlServer(Path path, ServerSocketChannel server, MountControl control, Duration t)
            throws IOException {
        this.path = path;
        this.server = server;
        this.peers = new PeerCheck(path);
        this.handler = new RequestHandler(control);
        this.clientTimeout = t;
    }

    /**
     * Binds the socket, in place of one that a dead daemon left behind, and begins to serve.
     *
     * @throws RefusedException when a living daemon serves it
     */
    public static ControlServer start(Path socket, MountControl control)
            throws IOException, RefusedException {
        return start(socket, control, CLIENT_TIMEOUT);
    }

    static ControlServer start(Path socket, MountControl control, Duration clientTimeout)
            throws IOException, RefusedException {
        if (ControlClient.answers(socket)) {
            throw new RefusedException(
                    ExitCode.ALREADY_MOUNTED, "Another daemon serves " + socket + ".");
        }
        Files.deleteIfExists(socket);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
            ControlServer started = new ControlServer(socket, server, control, clientTimeout);
            startThread("control-accept", started::acceptAll);
            return started;
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static void startThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void acceptAll() {
        while (server.isOpen()) {
            free.acquireUninterruptibly();
            SocketChannel peer = acceptOne();
            if (peer == null) {
                free.release();
            } else {
                connections.add(peer);
                startThread("control", () -> serveAndRelease(peer));
            }
        }
    }

    /** Whatever keeps connections away, as too many open files do, lasts a while. */
    private static void pause() {
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }

    private SocketChannel acceptOne() {
        try {
            SocketChannel peer = server.accept();
            if (peers.permits(peer)) {
                return peer;
            }
            LOG.warn("A user who may not steer this mount was turned away");
            peer.close();
        } catch (ClosedChannelException e) {
            LOG.debug("The control socket is closed");
        } catch (IOException e) {
            LOG.warn("A control connection could not be accepted: {}", e.getMessage());
            pause();
        }
        return null;
    }

    private void serveAndRelease(SocketChannel peer) {
        try (LineChannel channel = new LineChannel(peer, Protocol.MAX_REQUEST_BYTES)) {
            if (!server.isOpen()) {
                peer.shutdownInput(); // close() may not have seen this connection
            }
            serve(channel);
        } catch (SocketTimeoutException e) {
            LOG.debug("A control client was too slow");
        } catch (IOException e) {
            LOG.debug("A control connection broke: {}", e.getMessage());
        } finally {
            connections.remove(peer);
            free.release();
        }
    }

    private void serve(LineChannel channel) throws IOException {
        try {
            String line;
            while ((line = channel.readLine(clientTimeout)) != null) {
                channel.writeLine(handler.answer(line, new ProgressSender(channel)), clientTimeout);
            }
        } catch (LineChannel.LineTooLongException e) {
            String sentence = "The request is too long: " + e.getMessage() + ".";
            channel.writeLine(Protocol.refusal(ExitCode.USAGE, sentence).toString(), clientTimeout);
        }
    }

    /**
     * Takes no more connections and requests, and waits, not for long, until running requests are
     * answered. A client that only keeps its connection open is not waited for.
     */
    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
        connections.forEach(ControlServer::endInput);
        try {
            if (!free.tryAcquire(
                    MAX_CONNECTIONS, CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("Control connections were still open at the end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void endInput(SocketChannel peer) {
        try {
            peer.shutdownInput();
        } catch (IOException e) {
            LOG.debug("A control connection had ended: {}", e.getMessage());
        }
    }
}
