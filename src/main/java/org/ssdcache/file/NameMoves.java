package org.ssdcache.file;

import java.util.concurrent.atomic.AtomicLong;
import org.ssdcache.io.ErrnoException;

/**
 * Counts renames and links, so that a walk through the tree can tell whether a file may have moved
 * from where it had not looked to where it had.
 */
final class NameMoves {
    private static final long BUSY = -1;

    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();

    /** A call that gives an inode another name. */
    interface Move {
        void run() throws ErrnoException;
    }

    void run(Move move) throws ErrnoException {
        begun.incrementAndGet();
        try {
            move.run();
        } finally {
            ended.incrementAndGet();
        }
    }

    /** What {@link #noneSince} is to be asked about. */
    long now() {
        long endedFirst = ended.get();
        return endedFirst == begun.get() ? endedFirst : BUSY;
    }

    /** Whether no move was under way at that moment, and none has begun since. */
    boolean noneSince(long moment) {
        return moment != BUSY && begun.get() == moment;
    }
}
