package org.ssdcache.cli;

import java.util.Locale;

/** Text in the language of man(7), as much of it as the manual pages need. */
final class Roff {
    private final StringBuilder text = new StringBuilder();

    /** The first line of a page. */
    void title(String name, String version) {
        macro(".TH", quoted(name.toUpperCase(Locale.ROOT)), "8", "\"\"", quoted(version));
    }

    void section(String title) {
        macro(".SH", quoted(title));
    }

    /** A paragraph. */
    void text(String words) {
        macro(".PP");
        line(escape(words));
    }

    /** A paragraph that is typed as it stands. */
    void bold(String words) {
        macro(".PP");
        line("\\fB" + escape(words) + "\\fR");
    }

    /** A word, and behind it what it means. */
    void entry(String word, String meaning) {
        macro(".TP");
        line("\\fB" + escape(word) + "\\fR");
        line(escape(meaning));
    }

    private void macro(String name, String... arguments) {
        text.append(name);
        for (String argument : arguments) {
            text.append(' ').append(argument);
        }
        text.append('\n');
    }

    private void line(String words) {
        text.append(words).append('\n');
    }

    private static String quoted(String words) {
        return '"' + escape(words).replace("\"", "\\(dq") + '"';
    }

    /** At a line's beginning a dot and a quote are commands. */
    private static String escape(String words) {
        String plain = words.replace("\\", "\\e").replace("-", "\\-").replace("\n", " ");
        return plain.startsWith(".") || plain.startsWith("'") ? "\\&" + plain : plain;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
