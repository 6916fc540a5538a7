package org.ssdcache.cleaner;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.ssdcache.cache.BlockList;
import org.ssdcache.cache.DirtyBlocks;
import org.ssdcache.io.Clock;

/**
 * Brings a list of blocks home, whatever is written meanwhile: each block is brought home once, and
 * what could not be is tried again, round by round, until none has come home for a while. For one
 * thread.
 */
final class Flush {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** So many rounds in which nothing came home are made at least, however long they take. */
    static final int ROUNDS_IN_VAIN = 3;

    private static final long NEVER = Long.MAX_VALUE;

    private final Lane lane;
    private final DirtyBlocks dirty;
    private final Background background;
    private final Clock clock;
    private final FlushListener listener;
    private final long patienceNanos;
    private final int total;
    private int done;

    /** When the first try failed since a block came home last. */
    private long failingSinceNanos = NEVER;

    private int roundsInVain;
    private BlockList todo;
    private String lastSentence;
    private IOException lastError;

    Flush(
            BlockList covered,
            Lane lane,
            DirtyBlocks dirty,
            Background background,
            Clock clock,
            long patienceNanos,
            FlushListener listener) {
        this.todo = lane.failures().leastFailedFirst(covered);
        this.total = covered.size();
        this.lane = lane;
        this.dirty = dirty;
        this.background = background;
        this.clock = clock;
        this.listener = listener;
        this.patienceNanos = patienceNanos;
    }

    /**
     * Returns whether everything is at home; not so if the listener stopped it.
     *
     * @throws CleaningException if blocks fail and none came home for too long
     */
    boolean run() throws CleaningException {
        long pauseNanos = FIRST_PAUSE_NANOS;
        while (report()) {
            if (done == total) {
                return true;
            }
            if (!tryAll()) {
                return false;
            }
            if (done < total && !pause(pauseNanos)) {
                return false;
            }
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        }
        return false;
    }

    /**
     * Tries every block once; what failed is left to be done. Where every try fails slowly, the
     * round ends when that has taken as long as the patience, and the next one goes on there.
     *
     * @return false if told to stop
     */
    private boolean tryAll() throws CleaningException {
        FlushRound round = new FlushRound(todo, lane);
        long beginNanos = clock.monotonicNanos();
        roundsInVain++;
        background.hold();
        try {
            while (!round.isDone()) {
                if (!round.skip()) {
                    nextBatch(round);
                }
                if (!report()) {
                    return false;
                }
                throwIfHopeless(roundsInVain - 1);
                if (hasFailedFor(patienceNanos, beginNanos)) {
                    round.end();
                }
            }
        } finally {
            background.release();
        }
        todo = round.left();
        return true;
    }

    /** Whether nothing has come home for so long, of the time since then. */
    private boolean hasFailedFor(long nanos, long beginNanos) {
        return failingSinceNanos != NEVER
                && clock.monotonicNanos() - Math.max(failingSinceNanos, beginNanos) >= nanos;
    }

    private void nextBatch(FlushRound round) {
        BatchGate gate =
                new ReadsFirst(dirty, clock, Speed.URGENT.patienceNanos(), lane::isUrgentlyWanted);
        BatchLimits limits = new BatchLimits(Integer.MAX_VALUE, Speed.URGENT.batchNanos());
        int file = round.file();
        try {
            Batch batch = round.nextBatch(limits, gate);
            progressed(batch.entries() - batch.unreadable().length);
            if (batch.unreadableReason() != null) {
                failed(lane.failures().unreadableSentence(batch), batch.unreadableReason());
            }
        } catch (IOException e) {
            failed(lane.failures().refusal(file, e), e);
        }
    }

    private void failed(String sentence, IOException reason) {
        lastSentence = sentence;
        lastError = reason;
        if (failingSinceNanos == NEVER) {
            failingSinceNanos = clock.monotonicNanos();
        }
    }

    private void progressed(int blocks) {
        if (blocks > 0) {
            done += blocks;
            failingSinceNanos = NEVER;
            roundsInVain = 0;
        }
    }

    /** Returns false if told to stop. */
    private boolean pause(long nanos) throws CleaningException {
        long end = clock.monotonicNanos() + nanos;
        for (long now = clock.monotonicNanos(); now < end; now = clock.monotonicNanos()) {
            throwIfHopeless(roundsInVain);
            awaitNothing(Math.min(end - now, REPORT_NANOS));
            if (!report()) {
                return false;
            }
        }
        return true;
    }

    private synchronized void awaitNothing(long nanos) throws CleaningException {
        try {
            clock.waitOn(this, nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unfinished("The flush was interrupted");
        }
    }

    private void throwIfHopeless(int completeRoundsInVain) throws CleaningException {
        if (completeRoundsInVain >= ROUNDS_IN_VAIN && hasFailedFor(patienceNanos, Long.MIN_VALUE)) {
            long nanos = clock.monotonicNanos() - failingSinceNanos;
            throw unfinished(
                    String.format(
                            "Nothing came home for %d seconds",
                            TimeUnit.NANOSECONDS.toSeconds(nanos)));
        }
    }

    private CleaningException unfinished(String what) {
        String why = lastError == null ? "" : "; the last error was: " + lastSentence;
        return new CleaningException(
                String.format(
                        "%s with %d of %d blocks still dirty%s", what, total - done, total, why),
                lastError);
    }

    private boolean report() {
        long blockBytes = dirty.blockBytes();
        return !background.isStopped()
                && listener.report(done, total, done * blockBytes, total * blockBytes);
    }
}
