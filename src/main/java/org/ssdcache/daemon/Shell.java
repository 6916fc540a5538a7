package org.ssdcache.daemon;

import java.util.regex.Pattern;

/** Commands as people can paste them. */
final class Shell {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9/._+@%,=:-]+");

    private Shell() {}

    /** The text as one word of a POSIX shell's command line. */
    static String quote(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
