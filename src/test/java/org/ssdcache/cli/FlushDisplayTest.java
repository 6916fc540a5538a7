package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.ssdcache.control.FlushProgress;

class FlushDisplayTest {
    private final StringWriter text = new StringWriter();
    private final PrintWriter out = new PrintWriter(text, true);

    private FlushDisplay display(boolean terminal) {
        return new FlushDisplay(out, new ProgressLine(out, terminal), 0);
    }

    private static FlushProgress blocks(long done, long total) {
        return new FlushProgress(done, total, done << 14, total << 14, Optional.empty());
    }

    private static long seconds(long count) {
        return TimeUnit.SECONDS.toNanos(count);
    }

    @Test
    void aTerminalGetsABarThatIsWrittenOver() {
        try (FlushDisplay display = display(true)) {
            display.show(blocks(0, 640), seconds(1));
            assertEquals(
                    "\r\033[Kflush [--------------------] 0 of 640 blocks, 0 of 10M",
                    text.toString());
            text.getBuffer().setLength(0);
            display.show(blocks(320, 640), seconds(5));
            assertEquals(
                    "\r\033[Kflush [##########----------] 320 of 640 blocks, 5M of 10M, 1M/s,"
                            + " 5 s left",
                    text.toString());
            assertTrue(text.toString().length() < 80 + 4, "fits into a line");
            text.getBuffer().setLength(0);
        }
        assertEquals("\r\033[K", text.toString());
    }

    @Test
    void elsewhereALineNowAndThen() {
        try (FlushDisplay display = display(false)) {
            display.show(blocks(1, 1280), seconds(4));
            assertEquals("", text.toString());
            display.show(blocks(640, 1280), seconds(10));
            display.show(blocks(641, 1280), seconds(11));
            display.show(blocks(960, 1280), seconds(15));
        }
        assertEquals(
                """
                ssdcache: flushed 640 of 1280 blocks, 10M of 20M, 1M/s, 10 s left
                ssdcache: flushed 960 of 1280 blocks, 15M of 20M, 1M/s, 5 s left
                """,
                text.toString());
    }

    @Test
    void longTimesAreReadable() {
        try (FlushDisplay display = display(false)) {
            display.show(blocks(64, 64 * 11), seconds(10));
            display.show(blocks(64, 64 * 1001), seconds(20));
        }
        assertEquals(
                """
                ssdcache: flushed 64 of 704 blocks, 1M of 11M, 102K/s, 1:40 min left
                ssdcache: flushed 64 of 64064 blocks, 1M of 1001M, 51.2K/s, 5:33 h left
                """,
                text.toString());
    }

    @Test
    void whatFailsIsNamed() {
        try (FlushDisplay display = display(false)) {
            display.show(
                    new FlushProgress(2, 4, 2 << 14, 4 << 14, Optional.of("the disk refuses")),
                    seconds(10));
        }
        assertEquals(
                "ssdcache: flushed 2 of 4 blocks, 32K of 64K, trying again: the disk refuses\n",
                text.toString());
    }

    @Test
    void nothingDirtyIsNothingToShow() {
        try (FlushDisplay display = display(false)) {
            display.show(blocks(0, 0), seconds(100));
        }
        assertEquals("", text.toString());
    }
}
