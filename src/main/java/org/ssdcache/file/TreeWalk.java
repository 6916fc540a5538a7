package org.ssdcache.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/**
 * Visits every regular file below a directory, by descriptors and single names. Symbolic links are
 * not followed; filesystems mounted below are entered. A directory that cannot be read is passed
 * over, and {@link #failure} tells of it.
 */
final class TreeWalk {
    private static final int DIRECTORY_FLAGS =
            OpenFlags.O_RDONLY | OpenFlags.O_DIRECTORY | OpenFlags.O_NOFOLLOW;

    private final Visitor visitor;
    private final List<String> path = new ArrayList<>();
    private IOException failure;

    /** Looks at one file. */
    interface Visitor {
        /**
         * Called for each regular file.
         *
         * @param walk tells the path
         * @param directory descriptor of the directory
         * @param name the file's name in it, with a final NUL
         * @return whether to go on
         */
        boolean visit(TreeWalk walk, int directory, byte[] name, FileStatus status)
                throws IOException;
    }

    TreeWalk(Visitor visitor) {
        this.visitor = visitor;
    }

    /**
     * Walks.
     *
     * @param directory opened for reading; is closed
     * @return whether every visit said to go on
     */
    boolean run(int directory) throws IOException {
        DirectoryHandle handle = new DirectoryHandle(directory, false);
        try {
            for (byte[] name : namesIn(handle)) {
                if (!enter(directory, name)) {
                    return false;
                }
            }
            return true;
        } finally {
            handle.close();
        }
    }

    /** The first directory or file that could not be looked at; null if everything was seen. */
    IOException failure() {
        return failure;
    }

    /** The path of the file being visited, from where the walk began. */
    String pathOf(byte[] name) {
        List<String> parts = new ArrayList<>(path);
        parts.add(text(name));
        return String.join("/", parts);
    }

    private static String text(byte[] name) {
        return new String(name, 0, name.length - 1, StandardCharsets.UTF_8);
    }

    private List<byte[]> namesIn(DirectoryHandle handle) {
        List<byte[]> names = new ArrayList<>();
        try {
            handle.read(
                    0,
                    (inode, nextOffset, type, name) -> {
                        names.add(copyOf(name));
                        return true;
                    });
        } catch (ErrnoException e) {
            failed(e);
        }
        names.removeIf(name -> text(name).equals(".") || text(name).equals(".."));
        return names;
    }

    private static byte[] copyOf(ByteBuffer name) {
        byte[] bytes = new byte[name.remaining()];
        name.get(bytes);
        return Arrays.copyOf(bytes, bytes.length + 1);
    }

    /** Whether to go on. */
    private boolean enter(int directory, byte[] name) throws IOException {
        FileStatus status;
        try {
            status = Posix.statusAt(directory, name, OpenFlags.AT_SYMLINK_NOFOLLOW);
        } catch (ErrnoException e) {
            failed(e);
            return true;
        }
        if (status.isRegular()) {
            return visitor.visit(this, directory, name, status);
        }
        return !status.isDirectory() || descend(directory, name);
    }

    private boolean descend(int directory, byte[] name) throws IOException {
        int below = Posix.tryOpenAt(directory, name, DIRECTORY_FLAGS);
        if (below < 0) {
            failed(new ErrnoException(-below, pathOf(name) + ": " + Errno.describe(-below)));
            return true;
        }
        path.add(text(name));
        try {
            return run(below);
        } finally {
            path.remove(path.size() - 1);
        }
    }

    /** A name that went meanwhile is no failure. */
    private void failed(ErrnoException e) {
        if (failure == null && e.errno() != Errno.ENOENT) {
            failure = e;
        }
    }
}
