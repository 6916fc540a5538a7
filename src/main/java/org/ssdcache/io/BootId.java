package org.ssdcache.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tells one boot of the machine from the next. */
public final class BootId {
    private static final Path SOURCE = Path.of("/proc/sys/kernel/random/boot_id");

    private BootId() {}

    /** The kernel's random name for this boot, 36 characters. */
    public static String read() throws IOException {
        return Files.readString(SOURCE).strip();
    }
}
