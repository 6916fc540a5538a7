package org.ssdcache.cli;

import com.google.errorprone.annotations.FormatMethod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountFlags;

/**
 * The words behind {@code -o}, as in a line of fstab.
 *
 * @param settings of ssdcache, by key
 * @param flags of mount(8) that hold for every filesystem, in the order given
 * @param remount whether a mount that is there is to be changed
 */
record FstabOptions(Map<String, String> settings, List<String> flags, boolean remount) {
    private static final String REMOUNT = "remount";

    /** What mount(8), systemd and libfuse make of such a word has happened when it gets here. */
    private static final List<String> FOR_OTHERS =
            List.of(
                    "defaults",
                    "auto",
                    "noauto",
                    "nofail",
                    "user",
                    "nouser",
                    "users",
                    "nousers",
                    "owner",
                    "noowner",
                    "group",
                    "nogroup",
                    "_netdev",
                    "_rnetdev",
                    "allow_other",
                    "default_permissions");

    /** The last ones are the kernel's, which a remount brings along from its table of mounts. */
    private static final List<String> PREFIXES_FOR_OTHERS =
            List.of(
                    "x-",
                    "X-",
                    "comment=",
                    "user=",
                    "helper=",
                    "uhelper=",
                    "user_id=",
                    "group_id=",
                    "max_read=",
                    "blksize=");

    /** What becomes of a word that nobody knows. */
    @FunctionalInterface
    interface Unknown {
        /** It ends the command. */
        Unknown REFUSED =
                sentence -> {
                    throw new RefusedException(ExitCode.USAGE, sentence);
                };

        /**
         * Told of an unknown word.
         *
         * @param sentence for people
         */
        void found(String sentence) throws RefusedException;
    }

    FstabOptions {
        flags = List.copyOf(flags);
    }

    /** Takes words apart, of which every one must be known. */
    static FstabOptions parse(List<String> arguments) throws RefusedException {
        return parse(arguments, Unknown.REFUSED);
    }

    /**
     * Takes words apart.
     *
     * @param arguments lists of words with commas between them
     * @throws RefusedException if a setting has no value, or is given twice; for a remount the
     *     later one counts, as mount(8) puts the line of fstab before what it was called with
     */
    static FstabOptions parse(List<String> arguments, Unknown unknown) throws RefusedException {
        List<String> words = new ArrayList<>();
        for (String argument : arguments) {
            words.addAll(OptionWords.split(argument));
        }
        boolean remount = words.contains(REMOUNT);
        Map<String, String> settings = new LinkedHashMap<>();
        List<String> flags = new ArrayList<>();
        for (String word : words) {
            String key = keyOf(word);
            if (MountFlags.isFlag(word)) {
                flags.add(word);
            } else if (Setting.of(key).isPresent()) {
                String earlier = settings.put(key, valueOf(word));
                if (earlier != null && !remount) {
                    throw usage("The setting \"%s\" is given twice.", key);
                }
            } else if (!isForOthers(word)) {
                unknown.found(unknownSentence(word, key));
            }
        }
        return new FstabOptions(settings, flags, remount);
    }

    private static boolean isForOthers(String word) {
        return word.isEmpty()
                || word.equals(REMOUNT)
                || FOR_OTHERS.contains(word)
                || PREFIXES_FOR_OTHERS.stream().anyMatch(word::startsWith);
    }

    private static String keyOf(String word) {
        int equals = word.indexOf('=');
        return equals < 0 ? word : word.substring(0, equals);
    }

    private static String valueOf(String word) throws RefusedException {
        int equals = word.indexOf('=');
        if (equals < 0) {
            throw usage("The setting \"%s\" needs a value: %s=VALUE.", word, word);
        }
        return word.substring(equals + 1);
    }

    private static String unknownSentence(String word, String key) {
        if (key.isEmpty()) {
            return String.format("\"%s\" is not of the form KEY=VALUE.", word);
        }
        if (words().contains(key)) {
            return String.format("The option \"%s\" takes no value.", key);
        }
        Optional<String> meant = NearMiss.find(key, words());
        if (meant.isPresent()) {
            return String.format(
                    "There is no option \"%s\"; did you mean \"%s\"?", key, meant.get());
        }
        return String.format(
                "There is no option \"%s\"; the settings are %s, and there are the flags of"
                        + " mount(8).",
                key, String.join(", ", Setting.keys()));
    }

    /** Every word that is known as a whole. */
    private static Collection<String> words() {
        List<String> words = new ArrayList<>(Setting.keys());
        words.addAll(MountFlags.words());
        words.addAll(FOR_OTHERS);
        words.add(REMOUNT);
        return words;
    }

    @FormatMethod
    private static RefusedException usage(String sentence, Object... arguments) {
        return new RefusedException(ExitCode.USAGE, String.format(sentence, arguments));
    }
}
