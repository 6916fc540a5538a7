package org.ssdcache.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.ssdcache.io.Clock;
import org.ssdcache.metrics.CounterHistory;
import org.ssdcache.metrics.Counters;

/** COMMAND-LINE.md is what scripts rely on, so it must say what the program does. */
class DocumentedNamesTest {
    private static final Path DOCUMENT = Path.of("src/docs/COMMAND-LINE.md");
    private static final Pattern CODE_ROW =
            Pattern.compile("^\\| (\\d+) \\| `([A-Z_]+)` \\| .+ \\|$", Pattern.MULTILINE);

    @Test
    void everyExitCodeIsDocumentedAndNoOther() throws IOException {
        Map<Integer, String> documented = new TreeMap<>();
        Matcher row = CODE_ROW.matcher(Files.readString(DOCUMENT));
        while (row.find()) {
            documented.put(Integer.parseInt(row.group(1)), row.group(2));
        }
        Map<Integer, String> actual = new TreeMap<>();
        for (ExitCode code : ExitCode.values()) {
            actual.put(code.number(), code.name());
        }
        assertEquals(actual, documented);
        assertEquals(ExitCode.values().length, actual.size(), "a number is used twice");
    }

    @Test
    void everyNameOfTheStatusIsDocumented() throws IOException {
        MountStatus status =
                new MountStatus(
                        "/m",
                        "/b",
                        "/c",
                        "none",
                        1,
                        "clean",
                        8192,
                        1,
                        1,
                        0,
                        0,
                        0,
                        0,
                        10,
                        30,
                        new CounterHistory(new Counters(), Clock.SYSTEM).read());
        assertNamesIn(StatusJson.format(status), Files.readString(DOCUMENT));
    }

    private static void assertNamesIn(JsonObject object, String document) {
        for (Map.Entry<String, JsonElement> entry : object.entrySet()) {
            assertTrue(
                    document.contains("`" + entry.getKey() + "`"),
                    entry.getKey() + " is not documented");
            if (entry.getValue().isJsonObject()) {
                assertNamesIn(entry.getValue().getAsJsonObject(), document);
            }
        }
    }
}
