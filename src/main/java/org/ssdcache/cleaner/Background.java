package org.ssdcache.cleaner;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.cache.BlockList;
import org.ssdcache.cache.DirtyBlocks;
import org.ssdcache.io.Clock;

/**
 * What goes home on its own: blocks that were dirty for {@code writeback_delay}, and what is over
 * {@code writeback_percent}. One thread steps; the rest may be called by any.
 */
final class Background {
    private static final Logger LOG = LoggerFactory.getLogger(Background.class);

    /** A batch is due so late at most, whatever it brought home: bcache's bound. */
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2_500);

    /** While a batch is not due, whether it has become urgent is looked at so often. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Failures of blocks that are not dirty any more are looked for so often. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Lane lane;
    private final DirtyBlocks dirty;
    private final Throttle throttle;
    private final Clock clock;
    private final Supplier<CleanerSettings> settings;
    private final ReadWatch reads;
    private final RateController controller;

    // Of the stepping thread.
    private CleanPass pass;
    private boolean passIsOfAged;
    private boolean passWrote;
    private boolean untilTarget;
    private CleanPass sweep;
    private long dueNanos;
    private boolean keepsUp;
    private long lastForgottenNanos;

    private volatile boolean draining;
    private volatile boolean stopped;

    @GuardedBy("this")
    private int holds;

    Background(
            Lane lane,
            DirtyBlocks dirty,
            Throttle throttle,
            Clock clock,
            Supplier<CleanerSettings> settings) {
        this.lane = lane;
        this.dirty = dirty;
        this.throttle = throttle;
        this.clock = clock;
        this.settings = settings;
        this.reads = new ReadWatch(dirty, clock);
        this.controller = new RateController(clock.monotonicNanos());
        this.dueNanos = clock.monotonicNanos();
        this.lastForgottenNanos = clock.monotonicNanos() - FORGET_NANOS;
    }

    /** Does what is to be done now; returns when nothing is left, or when it is stopped or held. */
    void step() {
        while (!stopped && !isHeld()) {
            controller.update(clock.monotonicNanos(), dirty.dirtyCount() - target(), keepsUp);
            if (isPassOver() && !nextPass()) {
                return;
            }
            Speed speed = speed();
            if (lane.failures().isFileHeldBack(pass.file())) {
                pass.skipFile();
            } else if (speed == Speed.PACED && clock.monotonicNanos() < dueNanos) {
                awaitDue();
            } else {
                runBatch(speed);
            }
        }
    }

    /** Returns false if there is nothing to be done before the next step. */
    private boolean nextPass() {
        // Blocks that are written all the time would be old again at once, and what did not get
        // clean in this pass would not in one right after it.
        boolean isEnough = pass != null && (passIsOfAged || !passWrote);
        pass = isEnough ? null : plan();
        passWrote = false;
        return pass != null;
    }

    private boolean isPassOver() {
        return pass == null
                || pass.isDone()
                || (untilTarget && dirty.dirtyCount() <= target() && !draining)
                || !mayClean();
    }

    private boolean mayClean() {
        return draining || settings.get().writebackRunning();
    }

    private int target() {
        return (int) ((long) dirty.slotCount() * settings.get().writebackPercent() / 100);
    }

    /** Returns null if nothing is to be done now. */
    private CleanPass plan() {
        int count = dirty.dirtyCount();
        if (count == 0) {
            draining = false;
        }
        forgetFailures();
        if (count == 0 || !mayClean()) {
            return null;
        }
        BlockList aged = draining ? dirty.list(0) : aged();
        untilTarget = !draining && count - target() > aged.size();
        passIsOfAged = !draining && !untilTarget;
        return untilTarget ? sweep() : passThrough(aged);
    }

    /**
     * Goes on with the pass over everything that was left when the target was reached. To list all
     * dirty blocks for each small surplus would cost more than to meet some that are clean by now.
     */
    private CleanPass sweep() {
        if (sweep == null || sweep.isDone()) {
            sweep = passThrough(dirty.list(0));
        }
        return sweep;
    }

    /** Returns null if there are no blocks but those that are held back after a failure. */
    private CleanPass passThrough(BlockList list) {
        BlockList due = lane.failures().due(list);
        return due.size() == 0 ? null : new CleanPass(due, lane.tools());
    }

    /** Forgets failures of what is not dirty any more. */
    private void forgetFailures() {
        long now = clock.monotonicNanos();
        if (!lane.failures().isEmpty() && now - lastForgottenNanos >= FORGET_NANOS) {
            lane.failures().forgetUnlessIn(dirty.list(0));
            lastForgottenNanos = now;
        }
    }

    private BlockList aged() {
        long delayNanos = TimeUnit.SECONDS.toNanos(settings.get().writebackDelaySeconds());
        return dirty.oldestAgeNanos() >= delayNanos
                ? dirty.list(delayNanos)
                : new BlockList(new long[0]);
    }

    private Speed speed() {
        if (throttle.dirtyShare() >= Throttle.HARD_SHARE) {
            return Speed.FULL;
        }
        if (draining || throttle.isActive()) {
            return Speed.URGENT;
        }
        return reads.isIdle() ? Speed.IDLE : Speed.PACED;
    }

    private synchronized void awaitDue() {
        long leftNanos = dueNanos - clock.monotonicNanos();
        if (stopped || holds > 0 || leftNanos <= 0) {
            return;
        }
        try {
            clock.waitOn(this, Math.min(leftNanos, LOOK_NANOS));
        } catch (InterruptedException e) {
            LOG.warn("The cleaner was interrupted, which nobody should do");
        }
    }

    private void runBatch(Speed speed) {
        long start = clock.monotonicNanos();
        double rate = controller.blocksPerSecond();
        int blocks = speed == Speed.PACED ? (int) Math.max(1, rate) : Integer.MAX_VALUE;
        int dirtyBlocks = 0;
        try {
            BatchLimits limits = new BatchLimits(blocks, speed.batchNanos());
            dirtyBlocks = lane.run(pass, limits, gate(speed)).dirtyBlocks();
            passWrote |= dirtyBlocks > 0;
        } catch (IOException e) {
            LOG.debug("What the batch took is left for later", e);
        }
        long now = clock.monotonicNanos();
        long due = Math.max(dueNanos, start) + (long) (dirtyBlocks / rate * 1e9);
        dueNanos = Math.min(due, now + LONGEST_PAUSE_NANOS);
        keepsUp = speed == Speed.PACED && dueNanos > now;
        throttle.changed();
    }

    private BatchGate gate(Speed speed) {
        return new ReadsFirst(
                dirty,
                clock,
                speed.patienceNanos(),
                () ->
                        stopped
                                || lane.isUrgentlyWanted()
                                || (speed == Speed.IDLE && dirty.foregroundReads() > 0));
    }

    /** Everything that is dirty goes home, also when {@code writeback_running} is off. */
    void drain() {
        draining = true;
    }

    void stopDraining() {
        draining = false;
    }

    boolean isDraining() {
        return draining;
    }

    /** Leaves the lane to others until {@link #release}. */
    synchronized void hold() {
        holds++;
        notifyAll();
    }

    synchronized void release() {
        holds--;
    }

    private synchronized boolean isHeld() {
        return holds > 0;
    }

    /** The step under way ends after its batch. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    boolean isStopped() {
        return stopped;
    }
}
