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

    /** The last call that the running round covers. */
    @GuardedBy("this")
    private long covered;

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
        if (!awaitTurn()) {
            return;
        }
        boolean succeeded = false;
        try {
            round.run();
            succeeded = true;
        } finally {
            end(succeeded);
        }
    }

    /**
     * @return whether the caller is to run a round; false if another's round covered it
     */
    private synchronized boolean awaitTurn() {
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
            return false;
        }
        running = true;
        covered = asked;
        return true;
    }

    /** Calls that wait for a round which has not begun. */
    synchronized long waiting() {
        return running ? asked - covered : 0;
    }

    private synchronized void end(boolean succeeded) {
        if (succeeded) {
            done = covered;
        }
        running = false;
        notifyAll();
    }
}
