package org.ssdcache.io;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** How many descriptors this process may have. */
public final class OpenFileLimit {
    private static final Path SYSTEM_MAXIMUM = Path.of("/proc/sys/fs/nr_open");
    private static final int STRUCT_RLIMIT_BYTES = 16;

    private OpenFileLimit() {}

    /**
     * Raises the limit to the most that the system allows any process.
     *
     * @return the new limit
     * @throws ErrnoException EPERM without the capability CAP_SYS_RESOURCE, if the limit is lower
     */
    public static long raise() throws IOException {
        long maximum = systemMaximum();
        ScratchMemory limit = new ScratchMemory(STRUCT_RLIMIT_BYTES);
        limit.buffer().putLong(0, maximum).putLong(Long.BYTES, maximum);
        Posix.setOpenFileLimit(limit.address());
        return maximum;
    }

    /** The limit as it is. */
    public static long current() throws ErrnoException {
        ScratchMemory limit = new ScratchMemory(STRUCT_RLIMIT_BYTES);
        Posix.getOpenFileLimit(limit.address());
        return limit.buffer().getLong(0);
    }

    /** A number under /proc/sys must be read by one call: the second would find its end. */
    static long systemMaximum() throws IOException {
        byte[] digits = new byte[32];
        try (InputStream source = Files.newInputStream(SYSTEM_MAXIMUM)) {
            int lengthBytes = source.read(digits);
            return Long.parseLong(
                    new String(digits, 0, lengthBytes, StandardCharsets.US_ASCII).strip());
        }
    }
}
