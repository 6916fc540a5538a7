package org.ssdcache.file;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.FileId;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;

/** Finds a name for each of some files, in one walk through the tree. */
final class FileNames {
    private static final Logger LOG = LoggerFactory.getLogger(FileNames.class);

    private final InodeTable inodes;
    private final Set<FileId> ids;
    private final Set<Long> numbers = new HashSet<>();
    private final Map<FileId, String> names = new HashMap<>();

    FileNames(InodeTable inodes, Set<FileId> ids) {
        this.inodes = inodes;
        this.ids = ids;
        ids.forEach(id -> numbers.add(id.inode()));
    }

    /** Paths from the backing's root, of those files that were found. */
    Map<FileId, String> find() throws IOException {
        TreeWalk tree = new TreeWalk(this::visit);
        boolean all = tree.run(inodes.openRoot());
        if (all && tree.failure() != null) {
            LOG.info("not every directory could be read", tree.failure());
        }
        return names;
    }

    private boolean visit(TreeWalk walk, int directory, byte[] name, FileStatus status)
            throws ErrnoException {
        if (numbers.contains(status.inode())) {
            FileId id = identityOf(directory, name);
            if (id != null && ids.contains(id)) {
                names.putIfAbsent(id, walk.pathOf(name));
            }
        }
        return names.size() < ids.size();
    }

    /** Null if the name went meanwhile. */
    private FileId identityOf(int directory, byte[] name) throws ErrnoException {
        int path = Posix.tryOpenAt(directory, name, OpenFlags.O_PATH | OpenFlags.O_NOFOLLOW);
        if (path < 0) {
            return null;
        }
        try {
            return inodes.fileIdOf(path);
        } finally {
            InodeHandles.closeQuietly(path);
        }
    }
}
