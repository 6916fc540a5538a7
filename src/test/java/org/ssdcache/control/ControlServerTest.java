package org.ssdcache.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.io.Clock;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.CounterHistory;
import org.ssdcache.metrics.Counters;

class ControlServerTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir private Path directory;
    private Path socket;
    private static final FlushProgress HALF =
            new FlushProgress(5, 10, 20480, 40960, Optional.empty());
    private final RecordingControl control = new RecordingControl();
    private ControlServer server;

    /** What a flush does. */
    private interface Flushing {
        void run(FlushProgress.Listener listener) throws RefusedException;
    }

    /** Notes what it is asked for. */
    private static final class RecordingControl implements MountControl {
        final List<String> asked = new ArrayList<>();
        final Counters counters = new Counters();
        volatile Flushing flushing = listener -> {};

        @Override
        public MountStatus status() {
            return new MountStatus(
                    "/m",
                    "/b",
                    "/c",
                    "writethrough",
                    42,
                    "clean",
                    16384,
                    1 << 20,
                    1 << 19,
                    4 << 20,
                    1 << 18,
                    0,
                    0,
                    10,
                    30,
                    new CounterHistory(counters, Clock.SYSTEM).read());
        }

        @Override
        public synchronized void set(Map<String, String> values) throws RefusedException {
            asked.add("set " + values);
            if (values.containsKey("bad")) {
                throw new RefusedException(ExitCode.USAGE, "There is no setting bad.");
            }
        }

        @Override
        public synchronized void flush(List<String> paths, FlushProgress.Listener listener)
                throws RefusedException {
            asked.add("flush " + paths);
            flushing.run(listener);
        }

        @Override
        public synchronized void detach(FlushProgress.Listener listener) {
            asked.add("detach");
            listener.report(HALF);
        }

        @Override
        public synchronized void attach(Map<String, String> values) {
            asked.add("attach " + values);
        }

        @Override
        public synchronized DirtyLeft unmount(boolean flush, FlushProgress.Listener listener) {
            asked.add("unmount " + flush);
            if (!flush) {
                throw new IllegalStateException("a bug");
            }
            listener.report(HALF);
            return new DirtyLeft(3, 49152);
        }
    }

    @BeforeEach
    void start() throws IOException, RefusedException {
        socket = directory.resolve("s");
        server = ControlServer.start(socket, control, LONG);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private ControlClient connect() throws IOException {
        return ControlClient.connect(socket, Deadline.in(LONG));
    }

    private LineChannel connectRaw() throws IOException {
        SocketChannel peer = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        return new LineChannel(peer, Protocol.MAX_REPLY_BYTES);
    }

    private String ask(String request) throws IOException {
        try (LineChannel raw = connectRaw()) {
            raw.writeLine(request, LONG);
            return raw.readLine(LONG);
        }
    }

    private void assertStillServes() throws IOException, RefusedException {
        try (ControlClient client = connect()) {
            assertEquals(42, client.status().get("pid").getAsLong());
        }
    }

    @Test
    void aClientThatStaysConnectedDoesNotHoldUpTheEnd() throws IOException {
        try (LineChannel idle = connectRaw()) {
            idle.writeLine(Protocol.request(Protocol.STATUS).toString(), LONG);
            assertNotNull(idle.readLine(LONG));
            server.close();
            assertNull(idle.readLine(LONG));
        }
    }

    @Test
    void requestsReachTheControl() throws IOException, RefusedException {
        try (ControlClient client = connect()) {
            client.set(Map.of("mode", "none"));
            client.flush(List.of("a b", "c\n\u00e4"), progress -> {});
            assertEquals(new DirtyLeft(3, 49152), client.unmount(true, progress -> {}));
        }
        assertEquals(
                List.of("set {mode=none}", "flush [a b, c\n\u00e4]", "unmount true"),
                control.asked);
    }

    @Test
    void aCacheComesAndGoes() throws IOException, RefusedException {
        List<FlushProgress> seen = new ArrayList<>();
        try (ControlClient client = connect()) {
            client.detach(seen::add);
            client.attach(Map.of("cache", "/c"));
        }
        assertEquals(List.of("detach", "attach {cache=/c}"), control.asked);
        assertEquals(List.of(HALF), seen);
    }

    @Test
    void aRefusalKeepsItsCodeAndSentence() throws IOException {
        try (ControlClient client = connect()) {
            RefusedException e =
                    assertThrows(RefusedException.class, () -> client.set(Map.of("bad", "1")));
            assertEquals(ExitCode.USAGE, e.code());
            assertEquals("There is no setting bad.", e.getMessage());
        }
    }

    @Test
    void aBugIsAnsweredAndTheServerLives() throws IOException, RefusedException {
        try (ControlClient client = connect()) {
            RefusedException e =
                    assertThrows(
                            RefusedException.class, () -> client.unmount(false, progress -> {}));
            assertEquals(ExitCode.FAILURE, e.code());
        }
        assertStillServes();
    }

    @Test
    void statusHasTheCounters() throws IOException, RefusedException {
        control.counters.add(Counter.CACHE_HITS, 3);
        control.counters.add(Counter.CACHE_MISSES, 1);
        control.counters.add(Counter.BYPASSED_SEQUENTIAL, 5);
        control.counters.add(Counter.SSD_ERRORS, 2);
        try (ControlClient client = connect()) {
            JsonObject status = client.status();
            JsonObject hour = status.getAsJsonObject("stats").getAsJsonObject("hour");
            assertEquals(3, hour.get("cache_hits").getAsLong());
            assertEquals(0.75, hour.get("cache_hit_ratio").getAsDouble());
            assertEquals(5, hour.getAsJsonObject("bypassed").get("sequential").getAsLong());
            assertEquals(2, status.getAsJsonObject("errors").get("ssd").getAsLong());
            assertEquals(75, status.get("cache_available_percent").getAsLong());
        }
    }

    @Test
    void statusHasEveryReasonOfABypass() throws IOException, RefusedException {
        control.counters.add(Counter.BYPASSED_FILES, 6);
        try (ControlClient client = connect()) {
            JsonObject bypassed =
                    client.status()
                            .getAsJsonObject("stats")
                            .getAsJsonObject("total")
                            .getAsJsonObject("bypassed");
            assertEquals(
                    List.of("sequential", "congested", "files", "mode", "error"),
                    List.copyOf(bypassed.keySet()));
            assertEquals(6, bypassed.get("files").getAsLong());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "{",
                "[]",
                "null",
                "7",
                "{}",
                "{\"version\":1}",
                "{\"version\":1,\"op\":{}}",
                "{\"version\":1,\"op\":\"dance\"}",
                "{\"version\":1,\"op\":\"set\"}",
                "{\"version\":1,\"op\":\"set\",\"values\":{\"mode\":[]}}",
                "{\"version\":1,\"op\":\"flush\",\"paths\":[{}]}",
                "{\"version\":1,\"op\":\"flush\",\"paths\":\"x\"}",
                "{\"version\":1,\"op\":\"flush\",\"paths\":[],\"progress\":\"much\"}",
                "{\"version\":1,\"op\":\"unmount\"}",
                "{\"version\":1,\"op\":\"unmount\",\"flush\":\"zz\"}",
                "{\"version\":1,\"op\":\"unmount\",\"flush\":\"true\"}",
                "{\"version\":1,\"op\":\"unmount\",\"flush\":1}",
                "{\"version\":1,\"op\":\"unmount\",\"flush\":null}",
                "{\"version\":1,\"op\":\"unmount\",\"flush\":[true]}",
                "{\"version\":2,\"op\":\"status\"}",
            })
    void nonsenseIsRefusedAndDoesNothing(String request) throws IOException, RefusedException {
        JsonObject reply = JsonParser.parseString(ask(request)).getAsJsonObject();
        assertFalse(reply.get("ok").getAsBoolean());
        assertTrue(List.of(2, 17).contains(reply.get("exit_code").getAsInt()), reply.toString());
        assertEquals(List.of(), control.asked);
        assertStillServes();
    }

    @Test
    void deepNestingIsRefused() throws IOException, RefusedException {
        String reply = ask("[".repeat(100_000));
        assertFalse(JsonParser.parseString(reply).getAsJsonObject().get("ok").getAsBoolean());
        assertStillServes();
    }

    @Test
    void randomBytesHarmNobody() throws IOException, RefusedException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            byte[] noise = new byte[random.nextInt(10_000)];
            random.nextBytes(noise);
            try (SocketChannel peer = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
                peer.write(ByteBuffer.wrap(noise));
            }
        }
        assertStillServes();
        assertEquals(List.of(), control.asked);
    }

    @Test
    void aLineWithoutEndIsCutOff() throws IOException, RefusedException {
        try (LineChannel raw = connectRaw()) {
            raw.writeLine("x".repeat(Protocol.MAX_REQUEST_BYTES + 10), LONG);
            String reply = raw.readLine(LONG);
            assertNotNull(reply);
            assertTrue(reply.contains("too long"), reply);
        }
        assertStillServes();
    }

    @Test
    void silentClientsAreSentAwayAndTheNextIsServed() throws Exception {
        server.close();
        server = ControlServer.start(socket, control, Duration.ofMillis(200));
        List<LineChannel> silent = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            silent.add(connectRaw());
        }
        assertStillServes();
        for (LineChannel client : silent) {
            assertNull(client.readLine(LONG));
            client.close();
        }
    }

    @Test
    void progressComesBeforeTheReply() throws IOException, RefusedException {
        control.flushing = listener -> assertTrue(listener.report(HALF));
        List<FlushProgress> seen = new ArrayList<>();
        try (ControlClient client = connect()) {
            client.flush(List.of(), seen::add);
            assertEquals(List.of(HALF), seen);
            client.unmount(true, seen::add);
            assertEquals(List.of(HALF, HALF), seen);
        }
    }

    @Test
    void aRefusalMayFollowProgress() throws IOException {
        control.flushing =
                listener -> {
                    listener.report(HALF);
                    throw new RefusedException(ExitCode.FAILURE, "The disk is full.");
                };
        try (ControlClient client = connect()) {
            RefusedException e =
                    assertThrows(
                            RefusedException.class, () -> client.flush(List.of(), progress -> {}));
            assertEquals("The disk is full.", e.getMessage());
        }
    }

    @Test
    void whoGivesUpLearnsWhatFails() throws IOException {
        control.flushing =
                listener -> {
                    FlushProgress failing =
                            new FlushProgress(5, 10, 5, 10, Optional.of("the disk refuses"));
                    assertTrue(listener.report(failing));
                    while (listener.report(failing)) {
                        LockSupport.parkNanos(1_000_000);
                    }
                };
        try (ControlClient client =
                ControlClient.connect(socket, Deadline.in(Duration.ofMillis(500)))) {
            RefusedException e =
                    assertThrows(
                            RefusedException.class, () -> client.flush(List.of(), progress -> {}));
            assertEquals(ExitCode.TIMEOUT, e.code());
            assertTrue(e.getMessage().endsWith("was: the disk refuses."), e.getMessage());
        }
    }

    /** A command of an older version takes the first line for the reply. */
    @Test
    void whoDoesNotAskForProgressGetsNone() throws IOException {
        control.flushing = listener -> assertTrue(listener.report(HALF));
        String line = ask("{\"version\":1,\"op\":\"flush\",\"paths\":[]}");
        assertTrue(JsonParser.parseString(line).getAsJsonObject().get("ok").getAsBoolean(), line);
    }

    /** Returns when the client's end was noticed; a flush that never notices fails by timeout. */
    @Test
    @Timeout(60)
    void aFlushEndsSoonAfterItsClientHangsUp() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        control.flushing =
                listener -> {
                    while (listener.report(HALF)) {
                        begun.countDown();
                        LockSupport.parkNanos(1_000_000);
                    }
                    stopped.countDown();
                };
        JsonObject request = Protocol.request(Protocol.FLUSH);
        request.add("paths", new JsonArray());
        request.addProperty(Protocol.PROGRESS, true);
        try (LineChannel raw = connectRaw()) {
            raw.writeLine(request.toString(), LONG);
            begun.await();
            assertNotNull(raw.readLine(LONG), "it is under way");
        }
        stopped.await();
        assertStillServes();
    }

    @Test
    void anOlderDaemonLeftNothing() {
        assertEquals(new DirtyLeft(0, 0), Protocol.leftOf(new JsonObject()));
    }

    @Test
    void onlyTheOwnerReachesTheSocket() throws IOException {
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
    }

    @Test
    void aLivingDaemonIsNotReplaced() {
        RefusedException e =
                assertThrows(
                        RefusedException.class, () -> ControlServer.start(socket, control, LONG));
        assertEquals(ExitCode.ALREADY_MOUNTED, e.code());
    }

    @Test
    void theSocketOfADeadDaemonIsReplaced() throws IOException, RefusedException {
        server.close();
        assertFalse(Files.exists(socket));
        ServerSocketChannel dead =
                ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)
                        .bind(UnixDomainSocketAddress.of(socket));
        dead.close();
        assertTrue(Files.exists(socket), "closing leaves the file, as a crash does");
        server = ControlServer.start(socket, control, LONG);
        assertStillServes();
    }

    @Test
    void aDaemonThatEndsWithoutAnswerIsNamed() throws IOException {
        Path other = directory.resolve("other");
        try (ServerSocketChannel mute =
                ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)
                        .bind(UnixDomainSocketAddress.of(other))) {
            ControlClient client = ControlClient.connect(other, Deadline.in(LONG));
            mute.accept().close();
            Exception e = assertThrows(Exception.class, client::status);
            assertTrue(
                    e instanceof IOException
                            || ((RefusedException) e).code() == ExitCode.DAEMON_DIED);
            client.close();
        }
    }

    @Test
    void aDaemonThatDoesNotAnswerTimesOut() throws IOException {
        Path other = directory.resolve("other");
        try (ServerSocketChannel mute =
                        ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)
                                .bind(UnixDomainSocketAddress.of(other));
                ControlClient client =
                        ControlClient.connect(other, Deadline.in(Duration.ofMillis(50)))) {
            assertTrue(mute.isOpen());
            RefusedException e = assertThrows(RefusedException.class, client::status);
            assertEquals(ExitCode.TIMEOUT, e.code());
        }
    }

    /** Two calls of up to the whole time each would take twice what the user allowed. */
    @Test
    void theDeadlineIsForAllCallsTogether() throws IOException, RefusedException {
        Deadline over = new Deadline(System.nanoTime());
        try (ControlClient client = ControlClient.connect(socket, over)) {
            RefusedException e =
                    assertThrows(RefusedException.class, () -> client.set(Map.of("mode", "none")));
            assertEquals(ExitCode.TIMEOUT, e.code());
        }
        assertStillServes();
        assertEquals(List.of(), control.asked, "not even asked");
    }

    @Test
    void aDeadlineMayBeAsFarAsAnybodyWrites() {
        Duration days = Duration.ofDays(Integer.MAX_VALUE);
        assertTrue(Deadline.in(days).remaining().compareTo(Duration.ofDays(3000)) > 0);
        assertEquals(Duration.ZERO, Deadline.in(Duration.ZERO).remaining());
    }

    @Test
    void linesMayCometogetherOrInPieces() throws IOException {
        String request = "{\"version\":1,\"op\":\"status\"}\n";
        byte[] two = (request + request).getBytes(StandardCharsets.UTF_8);
        try (SocketChannel peer = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            for (byte b : two) {
                peer.write(ByteBuffer.wrap(new byte[] {b}));
            }
            LineChannel lines = new LineChannel(peer, Protocol.MAX_REPLY_BYTES);
            assertNotNull(lines.readLine(LONG));
            assertNotNull(lines.readLine(LONG));
        }
    }
}
