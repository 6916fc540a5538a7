package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

class OptionWordsTest {
    /** The words are joined by bars. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\'',
            value = {
                "a,b; a|b",
                "a; a",
                "'';''",
                "a,,b; a||b",
                "a,; 'a|'",
                "cache=\"/ssd/a,b\",ro; cache=/ssd/a,b|ro",
                "\"cache=/a,b\"; cache=/a,b",
                "cache=/a\\,b,ro; cache=/a,b|ro",
                "cache=/a\\\"b; cache=/a\"b",
                "cache=/a\\\\,b; cache=/a\\|b",
                "cache=/a\\b; cache=/a\\b",
                "cache=/a\\; cache=/a\\",
                "cache=/a b=c; cache=/a b=c",
                "cache=/ä€🙂; cache=/ä€🙂",
            })
    void splits(String text, String words) throws RefusedException {
        assertEquals(words, String.join("|", OptionWords.split(text)));
    }

    @Test
    void linesStayAsTheyAre() throws RefusedException {
        assertEquals(List.of("cache=/a\nb\t", "ro"), OptionWords.split("cache=/a\nb\t,ro"));
    }

    @Test
    void anOpenQuoteIsRefused() {
        RefusedException e =
                assertThrows(RefusedException.class, () -> OptionWords.split("cache=\"/a,ro"));
        assertEquals(ExitCode.USAGE, e.code());
        assertTrue(e.getMessage().contains("quote is not closed"), e.getMessage());
    }
}
