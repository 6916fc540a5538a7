package org.ssdcache.daemon;

import java.util.Locale;
import java.util.OptionalLong;

/** Sizes as people write them: {@code 10G}, {@code 512K}, {@code 4096}; powers of 1024. */
public final class ByteSize {
    private static final String UNITS = "KMGT";

    private ByteSize() {}

    /**
     * Reads digits with an optional unit K, M, G or T, which may be lower case and followed by
     * {@code B} or {@code iB}.
     *
     * @return bytes; empty when the text is no size or exceeds a {@code long}
     */
    public static OptionalLong parse(String text) {
        String upper = text.strip().toUpperCase(Locale.ROOT);
        int digits = 0;
        while (digits < upper.length() && isDigit(upper.charAt(digits))) {
            digits++;
        }
        int shift = shiftOf(upper.substring(digits));
        if (digits == 0 || shift < 0) {
            return OptionalLong.empty();
        }
        try {
            long number = Long.parseLong(upper.substring(0, digits));
            return OptionalLong.of(Math.multiplyExact(number, 1L << shift));
        } catch (ArithmeticException | NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int shiftOf(String unit) {
        if (unit.isEmpty() || unit.equals("B")) {
            return 0;
        }
        int index = UNITS.indexOf(unit.charAt(0));
        String rest = unit.substring(1);
        boolean known = rest.isEmpty() || rest.equals("B") || rest.equals("IB");
        return index < 0 || !known ? -1 : 10 * (index + 1);
    }

    /** At most four significant digits: {@code 9.3G}, {@code 512K}, {@code 17}. */
    public static String format(long bytes) {
        int unit = -1;
        double value = bytes;
        while (value >= 1024 && unit < UNITS.length() - 1) {
            value /= 1024;
            unit++;
        }
        if (unit < 0) {
            return Long.toString(bytes);
        }
        boolean whole = value == Math.rint(value) || value >= 100;
        return String.format(Locale.ROOT, whole ? "%.0f%c" : "%.1f%c", value, UNITS.charAt(unit));
    }
}
