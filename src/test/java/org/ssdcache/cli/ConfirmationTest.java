package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

class ConfirmationTest {
    private final StringWriter text = new StringWriter();

    private void ask(String typed, boolean terminal) throws IOException, RefusedException {
        ByteArrayInputStream in = new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8));
        new Confirmation(in, new PrintWriter(text), terminal).require("All is lost.", "--yes");
    }

    @Test
    void theWholeWordConfirms() throws IOException, RefusedException {
        ask("yes\n", true);
        assertEquals("All is lost. Type \"yes\" to go on: ", text.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "y\n", "no\n", "yes please\n", "Yes\n"})
    void everythingElseDoesNot(String typed) {
        RefusedException e = assertThrows(RefusedException.class, () -> ask(typed, true));
        assertEquals(ExitCode.ABORTED, e.code());
    }

    @Test
    void withoutATerminalNobodyIsAsked() {
        RefusedException e = assertThrows(RefusedException.class, () -> ask("yes\n", false));
        assertEquals(ExitCode.ABORTED, e.code());
        assertTrue(e.getMessage().contains("--yes"), e.getMessage());
        assertEquals("", text.toString());
    }
}
