package org.ssdcache.file;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.ssdcache.block.FileId;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/**
 * Looks through the whole tree for files by identity. That a file is not there is only said when
 * everything could be read and nothing was moved meanwhile.
 */
final class TreeSearch {
    static final int GONE = -1;

    /** Walks that files were moved during, before it is given up to tell that one is gone. */
    private static final int WALKS = 3;

    private final InodeTable inodes;
    private final NameMoves moves;

    TreeSearch(InodeTable inodes, NameMoves moves) {
        this.inodes = inodes;
        this.moves = moves;
    }

    /** An O_PATH descriptor of the file, or GONE. */
    int find(FileId id) throws IOException {
        int[] found = {GONE};
        walkUntilSure(
                (walked, directory, name, status) -> {
                    if (mayBe(status, id)) {
                        found[0] = openIfSame(directory, name, id);
                    }
                    return found[0] == GONE;
                },
                Set.of(id));
        return found[0];
    }

    /** Which of the files do not exist: one walk for all of them. */
    Set<FileId> missing(Set<FileId> ids) throws IOException {
        Set<FileId> left = new HashSet<>(ids);
        Set<Long> numbers = ids.stream().map(FileId::inode).collect(Collectors.toSet());
        walkUntilSure(
                (walked, directory, name, status) -> {
                    if (numbers.contains(status.inode())) {
                        removeFound(directory, name, left);
                    }
                    return !left.isEmpty();
                },
                left);
        return left;
    }

    /** Walks until a visit says that it is enough, or until it is sure that nothing was missed. */
    private void walkUntilSure(TreeWalk.Visitor visitor, Set<FileId> sought) throws IOException {
        for (int walk = 0; walk < WALKS; walk++) {
            long begin = moves.now();
            TreeWalk tree = new TreeWalk(visitor);
            boolean all = tree.run(inodes.openRoot());
            if (!all) {
                return;
            }
            if (tree.failure() != null) {
                throw new IOException(
                        String.format(
                                "inode %d was not found in what can be read of the backing",
                                sought.iterator().next().inode()),
                        tree.failure());
            }
            if (moves.noneSince(begin)) {
                return;
            }
        }
        throw new ErrnoException(
                Errno.EAGAIN, "files are moved too fast to tell whether one is gone");
    }

    private static boolean mayBe(FileStatus status, FileId id) {
        return status.inode() == id.inode() && status.birthNanos() == id.generation();
    }

    private void removeFound(int directory, byte[] name, Set<FileId> left) throws ErrnoException {
        int path = Posix.tryOpenAt(directory, name, OpenFlags.O_PATH | OpenFlags.O_NOFOLLOW);
        if (path < 0) {
            return;
        }
        try {
            left.remove(inodes.fileIdOf(path));
        } finally {
            InodeHandles.closeQuietly(path);
        }
    }

    /** An O_PATH descriptor, or GONE if that is another file. */
    private int openIfSame(int directory, byte[] name, FileId id) throws ErrnoException {
        int path = Posix.tryOpenAt(directory, name, OpenFlags.O_PATH | OpenFlags.O_NOFOLLOW);
        if (path < 0) {
            return GONE; // the name went; whether the file did, is told by the moves
        }
        boolean same = false;
        try {
            same = inodes.fileIdOf(path).equals(id);
        } finally {
            if (!same) {
                InodeHandles.closeQuietly(path);
            }
        }
        return same ? path : GONE;
    }
}
