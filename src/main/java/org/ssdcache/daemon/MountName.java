package org.ssdcache.daemon;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A file name for a directory, as {@code systemd-escape --path} makes it: {@code /srv/data} is
 * {@code srv-data}. It names the socket, the log and the default cache of a mount.
 */
public final class MountName {
    /** Leaves room for a directory and a suffix in the 107 bytes that a socket address may have. */
    private static final int MAX_LENGTH = 64;

    private static final int KEPT_LENGTH = 40;
    private static final int HASH_BYTES = 8;

    private MountName() {}

    /** Different directories get different names; a long name ends in a hash of the path. */
    public static String of(Path directory) {
        String path = directory.toString();
        String name = escape(path);
        if (name.length() <= MAX_LENGTH) {
            return name;
        }
        return name.substring(0, KEPT_LENGTH) + "-" + hash(path);
    }

    private static String escape(String path) {
        String trimmed = path.replaceAll("^/+|/+$", "").replaceAll("/+", "/");
        if (trimmed.isEmpty()) {
            return "-";
        }
        StringBuilder name = new StringBuilder();
        for (byte b : trimmed.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (c == '/') {
                name.append('-');
            } else if (isPlain(c) && !(c == '.' && name.length() == 0)) {
                name.append(c);
            } else {
                name.append(String.format("\\x%02x", (int) c));
            }
        }
        return name.toString();
    }

    private static boolean isPlain(char c) {
        boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        boolean digit = c >= '0' && c <= '9';
        return letter || digit || c == ':' || c == '_' || c == '.';
    }

    private static String hash(String path) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(path.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
