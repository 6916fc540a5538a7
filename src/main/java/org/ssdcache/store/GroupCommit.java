package org.ssdcache.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;

/**
 * Lets callers share a sync: while one runs, those who come wait for the next one, which one of
 * them runs for all.
 */
final class GroupCommit {
    private final Round round;

    @GuardedBy("this")
    private long asked;

    @GuardedBy("this")
    private long done;

    @GuardedBy("this")
    private boolean running;

    /** Makes durable what was there when it began. */
    interface Round {
        void run() throws IOException;
    }

    GroupCommit(Round round) {
        this.round = round;
    }

    /** Returns after a round that began after the call. */
    void sync() throws IOException {
        long covered = awaitTurn();
        if (covered == 0) {
            return;
        }
        boolean succeeded = false;
        try {
            round.run();
            succeeded = true;
        } finally {
            end(succeeded ? covered : 0);
        }
    }

    /**
     * @return the last call that the caller's round covers, 0 if another's round covered the caller
     */
    private synchronized long awaitTurn() {
        asked++;
        long mine = asked;
        boolean interrupted = false;
        while (running && done < mine) {
            try {
                wait();
            } catch (InterruptedException e) {
                // A sync under way cannot be given up; the flag is set again below.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (done >= mine) {
            return 0;
        }
        running = true;
        return asked;
    }

    private synchronized void end(long covered) {
        done = Math.max(done, covered);
        running = false;
        notifyAll();
    }
}
