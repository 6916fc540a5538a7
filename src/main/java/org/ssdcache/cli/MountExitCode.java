package org.ssdcache.cli;

import org.ssdcache.control.ExitCode;

/** Exit codes of mount(8) and umount(8), which are those of the helpers that they call. */
enum MountExitCode {
    SUCCESS(0, "Done."),
    USAGE(1, "Wrong options, or not permitted."),
    SYSTEM(2, "The system lacks something: Java, /dev/fuse, libfuse."),
    FAILURE(32, "The mount, or the unmount, failed.");

    private final int number;
    private final String meaning;

    MountExitCode(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    /** A sentence for people. */
    String meaning() {
        return meaning;
    }

    int number() {
        return number;
    }

    static MountExitCode of(ExitCode code) {
        return switch (code) {
            case OK -> SUCCESS;
            case USAGE, PERMISSION -> USAGE;
            case FUSE_MISSING -> SYSTEM;
            default -> FAILURE;
        };
    }
}
