package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/**
 * Where sockets, logs and caches lie: in the system's directories for root, in those of the XDG
 * base directory specification for everybody else.
 */
public final class SystemPaths {
    private static final String OURS = "ssdcache";
    private static final Path FUSE_CONF = Path.of("/etc/fuse.conf");
    private static final Path RUN = Path.of("/run");

    private final long uid;
    private final Map<String, String> environment;
    private final Path home;

    SystemPaths(long uid, Map<String, String> environment, Path home) {
        this.uid = uid;
        this.environment = environment;
        this.home = home;
    }

    /** Those of the user who runs this process. */
    public static SystemPaths ofThisUser() throws IOException {
        Number uid = (Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        return new SystemPaths(
                uid.longValue(), System.getenv(), Path.of(System.getProperty("user.home")));
    }

    public boolean isRoot() {
        return uid == 0;
    }

    /** Whether other users may use the mounts of this one: always root's, else by fuse.conf. */
    boolean mayAllowOthers() throws IOException {
        return isRoot() || (Files.isReadable(FUSE_CONF) && allowsOthers(FUSE_CONF));
    }

    private static boolean allowsOthers(Path configuration) throws IOException {
        return Files.readAllLines(configuration).stream()
                .anyMatch(line -> line.strip().equals("user_allow_other"));
    }

    /** The directory of sockets and locks; emptied by a reboot. */
    public Path runtimeDirectory() throws RefusedException {
        if (isRoot()) {
            return RUN.resolve(OURS);
        }
        String xdg = environment.get("XDG_RUNTIME_DIR");
        Path base = xdg != null && !xdg.isEmpty() ? Path.of(xdg) : userRuntimeDirectory(uid);
        if (!Files.isDirectory(base)) {
            throw new RefusedException(
                    ExitCode.NO_SUCH_PATH,
                    "There is no directory for the control socket: set XDG_RUNTIME_DIR to a"
                            + " directory that only you can enter.");
        }
        return base.resolve(OURS);
    }

    /** Where the socket of a mount may be that a given user has made. */
    List<Path> runtimeDirectoriesOf(long owner) throws RefusedException {
        Path systemWide =
                owner == 0 ? RUN.resolve(OURS) : userRuntimeDirectory(owner).resolve(OURS);
        return owner == uid ? List.of(runtimeDirectory(), systemWide) : List.of(systemWide);
    }

    private static Path userRuntimeDirectory(long owner) {
        return RUN.resolve("user").resolve(Long.toString(owner));
    }

    public Path logDirectory() {
        if (isRoot()) {
            return Path.of("/var/log", OURS);
        }
        return xdg("XDG_STATE_HOME", ".local/state").resolve(OURS);
    }

    /** The parent of caches that are made without {@code --cache}. */
    public Path cacheDirectory() {
        if (isRoot()) {
            return Path.of("/var/cache", OURS);
        }
        return xdg("XDG_CACHE_HOME", ".cache").resolve(OURS);
    }

    private Path xdg(String variable, String otherwise) {
        String value = environment.get(variable);
        return value != null && value.startsWith("/") ? Path.of(value) : home.resolve(otherwise);
    }
}
