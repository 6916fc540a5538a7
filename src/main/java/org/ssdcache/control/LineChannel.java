package org.ssdcache.control;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * Lines of UTF-8 over a socket, with a bound on their length and on the time the other end may
 * take. One thread at a time.
 */
final class LineChannel implements Closeable {
    private static final int FIRST_BUFFER_BYTES = 4096;

    private final SocketChannel socket;
    private final Selector selector;
    private final SelectionKey key;
    private final int maxLineBytes;
    private byte[] received = new byte[FIRST_BUFFER_BYTES];
    private int receivedBytes;

    /** What the other end has not taken yet of the last line. */
    private ByteBuffer unsent = ByteBuffer.allocate(0);

    /** The other end sent a longer line than is allowed. */
    static final class LineTooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        LineTooLongException(int maxLineBytes) {
            super("a line may have at most " + maxLineBytes + " bytes");
        }
    }

    LineChannel(SocketChannel socket, int maxLineBytes) throws IOException {
        this.socket = socket;
        this.maxLineBytes = maxLineBytes;
        socket.configureBlocking(false);
        this.selector = Selector.open();
        this.key = socket.register(selector, SelectionKey.OP_READ);
    }

    /**
     * @return the next line without its end, or null when the other end closed the connection
     * @throws SocketTimeoutException when the line is not complete in time
     */
    String readLine(Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        int scanned = 0;
        while (true) {
            for (int i = scanned; i < receivedBytes; i++) {
                if (received[i] == '\n') {
                    return takeLine(i);
                }
            }
            scanned = receivedBytes;
            if (receivedBytes >= maxLineBytes) {
                throw new LineTooLongException(maxLineBytes);
            }
            await(SelectionKey.OP_READ, deadline);
            if (!receiveSome()) {
                return null;
            }
        }
    }

    /** Sends a line; the text must not contain a line end. */
    void writeLine(String text, Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        sendAll(deadline);
        unsent = encode(text);
        sendAll(deadline);
    }

    private void sendAll(long deadline) throws IOException {
        while (unsent.hasRemaining()) {
            if (socket.write(unsent) == 0) {
                await(SelectionKey.OP_WRITE, deadline);
            }
        }
    }

    /**
     * Sends a line that may be left out: it is, while the other end has not taken the last one.
     * Never waits.
     *
     * @return whether the line is on its way
     * @throws IOException also when the other end has closed the connection
     */
    boolean offerLine(String text) throws IOException {
        socket.write(unsent);
        if (unsent.hasRemaining()) {
            return false;
        }
        unsent = encode(text);
        socket.write(unsent);
        return true;
    }

    private static ByteBuffer encode(String text) {
        return ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private String takeLine(int end) {
        String line = new String(received, 0, end, StandardCharsets.UTF_8);
        System.arraycopy(received, end + 1, received, 0, receivedBytes - end - 1);
        receivedBytes -= end + 1;
        return line;
    }

    private boolean receiveSome() throws IOException {
        if (receivedBytes == received.length) {
            received = Arrays.copyOf(received, Math.min(2 * received.length, maxLineBytes));
        }
        int count =
                socket.read(
                        ByteBuffer.wrap(received, receivedBytes, received.length - receivedBytes));
        receivedBytes += Math.max(count, 0);
        return count >= 0;
    }

    private void await(int operation, long deadline) throws IOException {
        key.interestOps(operation);
        long leftMillis = Math.max((deadline - System.nanoTime()) / 1_000_000, 0);
        selector.selectedKeys().clear();
        if (leftMillis == 0 || selector.select(leftMillis) == 0) {
            throw new SocketTimeoutException("no answer in time");
        }
    }

    @Override
    public void close() throws IOException {
        try (selector) {
            socket.close();
        }
    }
}
