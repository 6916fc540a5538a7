package org.ssdcache.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/** Asks a person, who must answer with the whole word, before something is lost. */
final class Confirmation {
    private static final String YES = "yes";

    private final InputStream in;
    private final PrintWriter out;
    private final boolean somebodyThere;

    /** Asks whoever sits at the terminal that is the standard input. */
    Confirmation(PrintWriter out) {
        this(System.in, out, ProgressLine.isTerminal(Path.of("/proc/self/fd/0")));
    }

    /**
     * @param somebodyThere whether there is a person to answer
     */
    Confirmation(InputStream in, PrintWriter out, boolean somebodyThere) {
        this.in = in;
        this.out = out;
        this.somebodyThere = somebodyThere;
    }

    /**
     * Returns when the answer is yes.
     *
     * @param option what confirms without a question
     */
    void require(String question, String option) throws IOException, RefusedException {
        if (!somebodyThere) {
            throw new RefusedException(
                    ExitCode.ABORTED,
                    String.format(
                            "There is no terminal to confirm this at; in a script say %s.",
                            option));
        }
        out.print(question + " Type \"" + YES + "\" to go on: ");
        out.flush();
        String answer =
                new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
        if (answer == null || !answer.strip().equals(YES)) {
            throw new RefusedException(ExitCode.ABORTED, "Nothing was changed.");
        }
    }
}
