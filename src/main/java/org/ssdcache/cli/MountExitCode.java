package org.ssdcache.cli;

import org.ssdcache.control.ExitCode;

/** Exit codes of mount(8) and umount(8), which are those of the helpers that they call. */
enum MountExitCode {
    /** Done. */
    SUCCESS(0),
    /** Wrong options, or not permitted. */
    USAGE(1),
    /** The system lacks something. */
    SYSTEM(2),
    /** The mount, or the unmount, failed. */
    FAILURE(32);

    private final int number;

    MountExitCode(int number) {
        this.number = number;
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
