package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/** Which directory a path is, and which directories lie inside which. */
final class Directories {
    private Directories() {}

    /**
     * The directory's path without symbolic links.
     *
     * @param role how the message calls it
     */
    static Path existing(Path path, String role) throws RefusedException {
        try {
            Path real = path.toRealPath();
            if (!Files.isDirectory(real)) {
                throw new RefusedException(
                        ExitCode.NO_SUCH_PATH,
                        String.format("The %s %s is not a directory.", role, path));
            }
            return real;
        } catch (NoSuchFileException e) {
            throw new RefusedException(
                    ExitCode.NO_SUCH_PATH,
                    String.format("The %s %s does not exist; create it first.", role, path),
                    e);
        } catch (AccessDeniedException e) {
            throw new RefusedException(
                    ExitCode.PERMISSION,
                    String.format("You may not enter the %s %s.", role, path),
                    e);
        } catch (IOException e) {
            throw new RefusedException(
                    ExitCode.FAILURE,
                    String.format("The %s %s cannot be used: %s.", role, path, reason(e)),
                    e);
        }
    }

    /**
     * The path without symbolic links of a directory that may not exist yet: its parents are
     * resolved as far as they exist.
     */
    static Path future(Path path) throws IOException {
        Path absolute = path.toAbsolutePath().normalize();
        Path parent = nearestExisting(absolute);
        return parent.toRealPath().resolve(parent.relativize(absolute)).normalize();
    }

    /** The directory itself or the nearest parent that exists. */
    static Path nearestExisting(Path absolute) {
        Path at = absolute;
        while (!Files.exists(at)) {
            at = at.getParent();
        }
        return at;
    }

    /**
     * Whether a path is the directory or lies in it, by device and inode, so that bind mounts do
     * not hide it.
     */
    static boolean isInside(Path path, Path directory) throws IOException {
        for (Path at = nearestExisting(path); at != null; at = at.getParent()) {
            if (Files.isSameFile(at, directory)) {
                return true;
            }
        }
        return false;
    }

    /** What the operating system said, without the path that Java puts before it. */
    static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof java.nio.file.FileSystemException failure && failure.getReason() != null) {
            return failure.getReason();
        }
        return e.getMessage();
    }
}
