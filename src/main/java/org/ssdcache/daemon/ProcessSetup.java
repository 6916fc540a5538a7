package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.Posix;

/** What a process must be like that serves a filesystem. */
final class ProcessSetup {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessSetup.class);

    /** When memory runs out, everything that uses the mount depends on this process. */
    private static final String OOM_SCORE = "-900";

    private static final int OWNER_ONLY = 077;

    private ProcessSetup() {}

    /**
     * Applied first of all, so this makes the first native call.
     *
     * @param temporaryDirectory where the native library is unpacked to
     */
    static void apply(Path temporaryDirectory) throws RefusedException {
        try {
            // For the files of the daemon itself; threads that serve the mount have umasks of their
            // own.
            Posix.umask(OWNER_ONLY);
        } catch (LinkageError e) {
            throw NativeLibrary.notLoaded(temporaryDirectory, e);
        }
        try {
            Files.writeString(Path.of("/proc/self/oom_score_adj"), OOM_SCORE);
        } catch (IOException e) {
            LOG.info("The OOM score stays as it is: {}", Directories.reason(e));
        }
    }
}
