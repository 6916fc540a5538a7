package org.ssdcache.cli;

import java.util.ArrayList;
import java.util.List;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/**
 * Takes the text behind {@code -o} apart at its commas, as mount(8) does: a comma in double quotes,
 * or after a backslash, belongs to its word.
 */
final class OptionWords {
    private final String text;
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean quoted;

    private OptionWords(String text) {
        this.text = text;
    }

    /** The words, without quotes and backslashes; an empty word where nothing is. */
    static List<String> split(String text) throws RefusedException {
        return new OptionWords(text).split();
    }

    private List<String> split() throws RefusedException {
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length() && isSpecial(text.charAt(i + 1))) {
                i++;
                word.append(text.charAt(i));
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                endWord();
            } else {
                word.append(c);
            }
            i++;
        }
        if (quoted) {
            throw new RefusedException(
                    ExitCode.USAGE,
                    String.format("A quote is not closed in the options %s.", text));
        }
        endWord();
        return words;
    }

    /** A backslash before anything else stands for itself. */
    private static boolean isSpecial(char c) {
        return c == ',' || c == '"' || c == '\\';
    }

    private void endWord() {
        words.add(word.toString());
        word.setLength(0);
    }
}
