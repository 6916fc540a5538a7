package org.ssdcache.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** One line of a terminal that is written over and over; nothing where nobody watches. */
final class ProgressLine {
    private static final String ERASE_LINE = "\r\033[K";

    private final PrintWriter out;
    private final boolean watched;
    private boolean shown;

    ProgressLine(PrintWriter out) {
        this(out, isTerminal(Path.of("/proc/self/fd/2")));
    }

    /**
     * @param watched whether the output is a terminal
     */
    ProgressLine(PrintWriter out, boolean watched) {
        this.out = out;
        this.watched = watched;
    }

    boolean isWatched() {
        return watched;
    }

    static boolean isTerminal(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().matches("/dev/(pts/|tty).*");
        } catch (IOException e) {
            return false;
        }
    }

    void show(String text) {
        if (watched) {
            out.print(ERASE_LINE + text);
            out.flush();
            shown = true;
        }
    }

    void end() {
        if (shown) {
            out.print(ERASE_LINE);
            out.flush();
            shown = false;
        }
    }
}
