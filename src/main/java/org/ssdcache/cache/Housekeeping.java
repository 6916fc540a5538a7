package org.ssdcache.cache;

import java.io.IOException;
import java.util.function.IntPredicate;

/** The background tasks of a cache, and what they do when somebody waits for it. */
final class Housekeeping {
    private final Evictor evictor;
    private final IntervalEnder intervals;
    private final Checkpointer checkpointer;
    private final DirtyKeeper keeper;
    private final PendingFiles pending;

    Housekeeping(
            Evictor evictor,
            IntervalEnder intervals,
            Checkpointer checkpointer,
            DirtyKeeper keeper,
            PendingFiles pending) {
        this.evictor = evictor;
        this.intervals = intervals;
        this.checkpointer = checkpointer;
        this.keeper = keeper;
        this.pending = pending;
    }

    void start() {
        evictor.start();
        intervals.start();
        checkpointer.start();
        keeper.start();
    }

    /**
     * Stops the tasks after a last round of each; no request may be under way.
     *
     * @return whether the backing has everything that was written to it
     */
    boolean finish() {
        evictor.stop();
        intervals.stop();
        checkpointer.stop();
        keeper.stop();
        evictor.run();
        boolean isSynced = intervals.end();
        keeper.recordAll();
        checkpointer.checkpoint(isSynced);
        return isSynced;
    }

    /** See {@link DirtyData#settle()}. */
    void settle() throws IOException {
        IOException failure = keeper.settleIdle(number -> true);
        if (!pending.doomed().isEmpty() && !intervals.end() && failure == null) {
            failure = new IOException("the backing directory could not be synced");
        }
        evictor.run();
        endSettling(failure);
    }

    /** See {@link DirtyData#settle(IntPredicate)}. */
    void settle(IntPredicate files) throws IOException {
        endSettling(keeper.settleIdle(files));
    }

    private void endSettling(IOException failure) throws IOException {
        keeper.openGuard();
        if (failure != null) {
            throw failure;
        }
    }

    /** For tests, which have no background tasks. */
    enum Task {
        EVICT,
        END_INTERVAL,
        CHECKPOINT,
        SETTLE
    }

    /** One round, now. */
    void run(Task task) {
        switch (task) {
            case EVICT -> evictor.run();
            case END_INTERVAL -> intervals.end();
            case CHECKPOINT -> checkpointer.checkpoint(false);
            case SETTLE -> {
                IOException unused = keeper.settleIdle(number -> true);
                keeper.openGuard();
            }
        }
    }
}
