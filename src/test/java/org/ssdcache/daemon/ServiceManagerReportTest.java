package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.io.NotifySocket;
import org.ssdcache.testing.DatagramReceiver;

class ServiceManagerReportTest {
    private static final String LONGER = "EXTEND_TIMEOUT_USEC=120000000";

    @TempDir private Path directory;
    private DatagramReceiver receiver;
    private ServiceManagerReport report;
    private long nowNanos;
    private final List<String> told = new ArrayList<>();
    private final StartupReport others =
            new StartupReport() {
                @Override
                public void progress(String what) {
                    told.add("progress " + what);
                }

                @Override
                public void ready() {
                    told.add("ready");
                }

                @Override
                public void failed(ExitCode code, String sentence) {
                    told.add(code + " " + sentence);
                }

                @Override
                public void stopping(String what) {
                    told.add("stopping " + what);
                }
            };

    @BeforeEach
    void listen() throws IOException {
        String name = directory.resolve("notify").toString();
        receiver = DatagramReceiver.listen(name);
        report = new ServiceManagerReport(NotifySocket.of(name), others, () -> nowNanos);
    }

    @AfterEach
    void end() throws IOException {
        receiver.close();
    }

    private void assertReceived(String... lines) throws IOException {
        assertEquals(String.join("\n", lines), receiver.next());
    }

    private static FlushProgress flushed(long done, String error) {
        return new FlushProgress(done, 10, done, 10, Optional.ofNullable(error));
    }

    @Test
    void theLifeOfADaemon() throws IOException {
        report.progress("making the cache,\nhalf of it");
        assertReceived("STATUS=making the cache, half of it", LONGER);
        report.ready();
        assertReceived("READY=1", "STATUS=serving");
        report.stopping("closing the cache");
        assertReceived("STOPPING=1", "STATUS=closing the cache", LONGER);
        assertEquals(
                List.of(
                        "progress making the cache,\nhalf of it",
                        "ready",
                        "stopping closing the cache"),
                told);
    }

    @Test
    void aStartThatFails() throws IOException {
        report.failed(ExitCode.NO_SPACE, "It does not fit.");
        assertReceived("STATUS=It does not fit.");
        assertEquals(List.of("NO_SPACE It does not fit."), told);
    }

    @Test
    void aFlushIsToldEverySecond() throws IOException {
        report.flushing(flushed(1, null));
        assertReceived("STATUS=flushing: 1 of 10 blocks are home", LONGER);
        nowNanos += 999_999_999;
        report.flushing(flushed(2, null));
        nowNanos += 1;
        report.flushing(flushed(3, "disk full"));
        assertReceived("STATUS=flushing: 3 of 10 blocks are home, disk full", LONGER);
        report.flushing(flushed(10, null));
        assertReceived("STATUS=serving");
        report.flushing(flushed(10, null));
        report.flushing(flushed(0, null));
        assertReceived("STATUS=flushing: 0 of 10 blocks are home", LONGER);
    }

    @Test
    void withoutAServiceManagerNothingIsSent() {
        assertSame(others, ServiceManagerReport.of(Map.of(), others));
        assertSame(others, ServiceManagerReport.of(Map.of("NOTIFY_SOCKET", ""), others));
        assertSame(others, ServiceManagerReport.of(Map.of("NOTIFY_SOCKET", "vsock:2:1"), others));
        assertInstanceOf(
                ServiceManagerReport.class,
                ServiceManagerReport.of(Map.of("NOTIFY_SOCKET", "@x"), others));
    }

    @Test
    void aServiceManagerThatIsGoneDoesNoHarm() throws IOException {
        StartupReport gone =
                ServiceManagerReport.of(
                        Map.of("NOTIFY_SOCKET", directory.resolve("gone").toString()), others);
        gone.ready();
        assertEquals(List.of("ready"), told);
    }
}
