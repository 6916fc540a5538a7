package org.ssdcache.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.testing.DatagramReceiver;

@Timeout(60)
class NotifySocketTest {
    @TempDir private Path directory;

    private static void assertArrives(String name) throws IOException {
        try (DatagramReceiver receiver = DatagramReceiver.listen(name)) {
            NotifySocket socket = NotifySocket.of(name);
            assertEquals(name.replace("@", ""), socket.toString());
            socket.send("READY=1\nSTATUS=Serving /ä");
            socket.send("STOPPING=1");
            assertEquals("READY=1\nSTATUS=Serving /ä", receiver.next());
            assertEquals("STOPPING=1", receiver.next());
        }
    }

    @Test
    void aSocketWithAFile() throws IOException {
        assertArrives(directory.resolve("notify, ä").toString());
    }

    @Test
    void aSocketWithoutAFile() throws IOException {
        assertArrives("@ssdcache-test-" + UUID.randomUUID());
    }

    @Test
    void nobodyListens() {
        String name = directory.resolve("nothing").toString();
        ErrnoException e =
                assertThrows(ErrnoException.class, () -> NotifySocket.of(name).send("READY=1"));
        assertEquals(Errno.ENOENT, e.errno());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "@", "relative", "vsock:2:1234"})
    void otherNamesAreRefused(String name) {
        assertThrows(IllegalArgumentException.class, () -> NotifySocket.of(name));
    }

    @Test
    void namesHaveALimit() throws IOException {
        String longest = ("@" + UUID.randomUUID() + "x".repeat(108)).substring(0, 108);
        assertArrives(longest);
        assertThrows(IllegalArgumentException.class, () -> NotifySocket.of(longest + "x"));
        assertThrows(IllegalArgumentException.class, () -> NotifySocket.of("/" + "x".repeat(107)));
    }
}
