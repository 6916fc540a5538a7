package org.ssdcache.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineChannelTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String LINE = "x".repeat(100);

    @TempDir private Path directory;
    private LineChannel sender;
    private LineChannel reader;

    @BeforeEach
    void connect() throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
        try (ServerSocketChannel server =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)) {
            reader = new LineChannel(SocketChannel.open(address), 1000);
            sender = new LineChannel(server.accept(), 1000);
        }
    }

    @AfterEach
    void disconnect() throws IOException {
        sender.close();
        reader.close();
    }

    /** A socket takes only so much; what does not fit is left out, and nobody waits. */
    private int offerUntilFull() throws IOException {
        int taken = 0;
        while (sender.offerLine(LINE)) {
            taken++;
        }
        return taken;
    }

    @Test
    void whoDoesNotReadMissesWholeLines() throws IOException {
        int taken = offerUntilFull();
        assertTrue(taken > 10, "only " + taken);
        for (int i = 1; i < taken; i++) {
            assertEquals(LINE, reader.readLine(LONG));
        }
        assertTrue(sender.offerLine("after"));
        assertEquals(LINE, reader.readLine(LONG));
        assertEquals("after", reader.readLine(LONG));
    }

    @Test
    void aLineThatMustArriveFollowsWhatWasTaken() throws Exception {
        int taken = offerUntilFull();
        Thread writer =
                new Thread(
                        () -> {
                            try {
                                sender.writeLine("reply", LONG);
                            } catch (IOException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        writer.start();
        for (int i = 0; i < taken; i++) {
            assertEquals(LINE, reader.readLine(LONG));
        }
        assertEquals("reply", reader.readLine(LONG));
        writer.join();
    }

    @Test
    void theOtherEndIsGone() throws IOException {
        assertTrue(sender.offerLine("1"));
        reader.close();
        assertThrows(IOException.class, () -> sender.offerLine("2"));
    }
}
