package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/**
 * The library behind every native call. It comes in a jar, so it is unpacked to a temporary
 * directory when the first call is made, and loaded from there.
 */
final class NativeLibrary {
    private static final int ROOM_BYTES = 1 << 20;

    private static final String CHOOSE =
            "or choose another directory with JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=DIR.";

    private NativeLibrary() {}

    /** Whether the library fits there. */
    static boolean hasRoomIn(Path directory) {
        return directory.toFile().getUsableSpace() >= ROOM_BYTES;
    }

    /** What to tell when no directory that would do has room. */
    static RefusedException noRoom(String directories) {
        return new RefusedException(
                ExitCode.NO_SPACE,
                String.format(
                        "There is no room for temporary files in %s; make room there, %s",
                        directories, CHOOSE));
    }

    /** Says why the library could not be loaded, which the error itself does not. */
    static RefusedException notLoaded(Path directory, LinkageError error) {
        try {
            writeFileIn(directory);
        } catch (IOException e) {
            return new RefusedException(
                    ExitCode.NO_SPACE,
                    String.format(
                            "Nothing can be written to the temporary directory %s (%s); make room"
                                    + " there, %s",
                            directory, Directories.reason(e), CHOOSE),
                    error);
        }
        return new RefusedException(
                ExitCode.FAILURE,
                String.format(
                        "The native library cannot be loaded from the temporary directory %s; let"
                                + " programs be run from there (no noexec), %s",
                        directory, CHOOSE),
                error);
    }

    private static void writeFileIn(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, "ssdcache", ".tmp");
        try {
            Files.write(file, new byte[ROOM_BYTES]);
        } finally {
            Files.delete(file);
        }
    }
}
