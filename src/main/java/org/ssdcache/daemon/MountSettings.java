package org.ssdcache.daemon;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/** Values of settings as they are written on a command line, in fstab and with {@code set}. */
public final class MountSettings {
    public static final String WRITEBACK_PERCENT = "writeback_percent";
    public static final String WRITEBACK_DELAY = "writeback_delay";
    public static final String WRITEBACK_RUNNING = "writeback_running";

    private MountSettings() {}

    /** A cache mode by its name. */
    public static CacheMode mode(String text) throws RefusedException {
        String name = text.strip().toLowerCase(Locale.ROOT);
        for (CacheMode mode : CacheMode.values()) {
            if (mode.label().equals(name)) {
                return mode;
            }
        }
        String known =
                Arrays.stream(CacheMode.values())
                        .map(CacheMode::label)
                        .collect(Collectors.joining(", "));
        throw new RefusedException(
                ExitCode.USAGE,
                String.format("There is no mode \"%s\"; the modes are %s.", text, known));
    }

    /**
     * A size such as {@code 10G}.
     *
     * @param key the setting's name, for the message
     * @return bytes, 0 or more
     */
    public static long size(String key, String text) throws RefusedException {
        OptionalLong bytes = ByteSize.parse(text);
        if (bytes.isEmpty()) {
            throw new RefusedException(
                    ExitCode.USAGE,
                    String.format(
                            "The %s \"%s\" is not a size; write for example 512M or 10G.",
                            key, text));
        }
        return bytes.getAsLong();
    }

    /**
     * Settings of writeback, of which one gets another value.
     *
     * @param key {@link #WRITEBACK_PERCENT}, {@link #WRITEBACK_DELAY} or {@link #WRITEBACK_RUNNING}
     */
    public static CleanerSettings writeback(CleanerSettings others, String key, String text)
            throws RefusedException {
        return switch (key) {
            case WRITEBACK_PERCENT -> others.withWritebackPercent(percent(key, text));
            case WRITEBACK_DELAY -> others.withWritebackDelaySeconds(delaySeconds(key, text));
            case WRITEBACK_RUNNING -> others.withWritebackRunning(flag(key, text));
            default -> throw new IllegalArgumentException(key);
        };
    }

    private static int percent(String key, String text) throws RefusedException {
        Throwable cause = null;
        try {
            int percent = Integer.parseInt(text.strip());
            if (percent >= 0 && percent <= CleanerSettings.MAX_WRITEBACK_PERCENT) {
                return percent;
            }
        } catch (NumberFormatException e) {
            cause = e;
        }
        throw new RefusedException(
                ExitCode.USAGE,
                String.format(
                        "The %s \"%s\" is not a number from 0 to %d.",
                        key, text, CleanerSettings.MAX_WRITEBACK_PERCENT),
                cause);
    }

    /** In whole seconds; a bare 0 is a duration here. */
    private static int delaySeconds(String key, String text) throws RefusedException {
        if (text.strip().equals("0")) {
            return 0;
        }
        long seconds = duration(text).toSeconds();
        if (seconds < 1 || seconds > CleanerSettings.MAX_WRITEBACK_DELAY_SECONDS) {
            throw new RefusedException(
                    ExitCode.USAGE,
                    String.format("The %s \"%s\" is not 0 or a time from 1s to 1d.", key, text));
        }
        return (int) seconds;
    }

    /** A choice in conflicts by its name. */
    public static ConflictChoice conflict(String text) throws RefusedException {
        String name = text.strip().toLowerCase(Locale.ROOT);
        for (ConflictChoice choice : ConflictChoice.values()) {
            if (choice.label().equals(name)) {
                return choice;
            }
        }
        throw new RefusedException(
                ExitCode.USAGE,
                String.format("conflict must be refuse, cache or backing, not \"%s\".", text));
    }

    /** A switch: on or off, true or false, yes or no, 1 or 0. */
    public static boolean flag(String key, String text) throws RefusedException {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "on", "true", "yes", "1" -> true;
            case "off", "false", "no", "0" -> false;
            default ->
                    throw new RefusedException(
                            ExitCode.USAGE,
                            String.format("%s must be on or off, not \"%s\".", key, text));
        };
    }

    /** A duration such as {@code 30s}, {@code 5m}, {@code 1h}; a bare number means seconds. */
    public static Duration duration(String text) throws RefusedException {
        String trimmed = text.strip().toLowerCase(Locale.ROOT);
        String number = trimmed.replaceAll("[a-z]+$", "");
        long millisPerUnit =
                switch (trimmed.substring(number.length())) {
                    case "ms" -> 1;
                    case "", "s" -> 1_000;
                    case "m", "min" -> 60_000;
                    case "h" -> 3_600_000;
                    case "d" -> 86_400_000;
                    default -> 0;
                };
        try {
            long amount = Long.parseLong(number);
            if (millisPerUnit > 0 && amount > 0 && amount <= Integer.MAX_VALUE) {
                return Duration.ofMillis(amount * millisPerUnit);
            }
        } catch (NumberFormatException e) {
            throw notADuration(text, e);
        }
        throw notADuration(text, null);
    }

    private static RefusedException notADuration(String text, Throwable cause) {
        return new RefusedException(
                ExitCode.USAGE,
                String.format("\"%s\" is not a duration; write for example 30s or 5m.", text),
                cause);
    }
}
