package org.ssdcache.file;

import java.util.ArrayList;
import java.util.List;

/**
 * Chooses inodes that the kernel should forget when their descriptors cannot be closed: not open,
 * and not asked for since the last round.
 *
 * <p>Directories are left alone. The kernel would cut off a forgotten one from its path, and a
 * process that works in it could no longer tell where it is.
 */
final class IdleNames {
    private static final int BATCH = 64;

    private final Slab<Inode> inodes;
    private final Shortage shortage;

    /** The next number to look at; belongs to the thread that calls {@link #await}. */
    private int hand;

    IdleNames(Slab<Inode> inodes, Shortage shortage) {
        this.inodes = inodes;
        this.shortage = shortage;
    }

    /** Names to forget, once descriptors are short; none when {@link Shortage#stop} was called. */
    List<KnownName> await() {
        while (shortage.awaitReport()) {
            List<KnownName> names = choose();
            if (!names.isEmpty()) {
                return names;
            }
        }
        return List.of();
    }

    /** Two rounds: the first may find every inode used since the one before. */
    private List<KnownName> choose() {
        List<KnownName> names = new ArrayList<>();
        int end = inodes.highestUsed();
        for (int steps = 2 * end; steps > 0 && names.size() < BATCH; steps--) {
            hand = hand + 1 < end ? hand + 1 : 0;
            Inode inode = inodes.get(hand);
            KnownName name = inode == null ? null : inode.takeIdleName();
            if (name != null) {
                names.add(name);
            }
        }
        return names;
    }
}
