package org.ssdcache.cleaner;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.ssdcache.background.BackgroundTask;
import org.ssdcache.cache.BlockList;
import org.ssdcache.cache.CleaningService;
import org.ssdcache.cache.DirtyBlocks;
import org.ssdcache.io.Clock;

/** Brings dirty blocks home, in the background and on demand. For many threads. */
public final class Cleaner implements CleaningService, AutoCloseable {
    private static final long PERIOD_MILLIS = 1_000;

    /** A write wakes the cleaner so often at most; else its period is soon enough. */
    private static final long WAKE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A range up to so long is gone through block by block rather than looked for. */
    private static final int SHORT_RANGE_BLOCKS = 64;

    private final DirtyBlocks dirty;
    private final Clock clock;
    private final Lane lane;
    private final Throttle throttle;
    private final Background background;
    private final BackgroundTask task;
    private volatile CleanerSettings settings;
    private volatile long lastWakeNanos;

    private Cleaner(DirtyBlocks dirty, CleanerSettings settings, Clock clock, FileNames names) {
        this.dirty = dirty;
        this.clock = clock;
        this.settings = settings;
        this.lane = new Lane(dirty, clock, names);
        this.throttle = new Throttle(dirty, clock, lane.meter()::drainRate, this::throttleState);
        this.background = new Background(lane, dirty, throttle, clock, this::settings);
        this.task = new BackgroundTask("cleaner", PERIOD_MILLIS, background::step);
        this.lastWakeNanos = clock.monotonicNanos();
    }

    /**
     * A cleaner at work.
     *
     * @param names for messages
     */
    public static Cleaner start(
            DirtyBlocks dirty, CleanerSettings settings, Clock clock, FileNames names) {
        Cleaner cleaner = new Cleaner(dirty, settings, clock, names);
        cleaner.task.start();
        return cleaner;
    }

    /** A cleaner without a thread of its own, for tests that call {@link #step}. */
    static Cleaner unstarted(DirtyBlocks dirty, CleanerSettings settings, Clock clock) {
        return new Cleaner(dirty, settings, clock, FileNames.NUMBERS);
    }

    void step() {
        background.step();
    }

    public CleanerSettings settings() {
        return settings;
    }

    /** Takes effect at once. */
    public void setSettings(CleanerSettings settings) {
        this.settings = settings;
        task.wake();
        throttle.changed();
    }

    @Override
    public void beforeDirty(int blocks) {
        throttle.await(blocks);
    }

    private Throttle.State throttleState() {
        if (background.isStopped() || !(settings.writebackRunning() || isDraining())) {
            return Throttle.State.OFF;
        }
        return lane.isFailing() ? Throttle.State.FAILING : Throttle.State.WORKING;
    }

    @Override
    public void dirtied() {
        long limit = (long) dirty.slotCount() * settings.writebackPercent() / 100;
        if (dirty.dirtyCount() > limit) {
            long now = clock.monotonicNanos();
            if (now - lastWakeNanos >= WAKE_NANOS) {
                lastWakeNanos = now;
                task.wake();
            }
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws CleaningException if the cache cannot be read
     */
    @Override
    public void cleanNow(int file, int firstBlock, int lastBlock) throws IOException {
        CleanPass pass = new CleanPass(range(file, firstBlock, lastBlock), lane.tools());
        BatchLimits limits = new BatchLimits(Integer.MAX_VALUE, Speed.FULL.batchNanos());
        while (!pass.isDone()) {
            Batch batch = lane.runUrgently(pass, limits);
            throttle.changed();
            if (batch.unreadable().length > 0) {
                throw new CleaningException(
                        lane.failures().unreadableSentence(batch), batch.unreadableReason());
            }
        }
    }

    private BlockList range(int file, int firstBlock, int lastBlock) {
        long length = (long) lastBlock - firstBlock + 1;
        if (length > SHORT_RANGE_BLOCKS) {
            long first = BlockList.key(file, firstBlock);
            long last = BlockList.key(file, lastBlock);
            long[] keys = dirty.list(0).keys();
            return new BlockList(
                    Arrays.stream(keys).filter(key -> key >= first && key <= last).toArray());
        }
        long[] keys = new long[(int) Math.max(0, length)];
        Arrays.setAll(keys, i -> BlockList.key(file, firstBlock + i));
        return new BlockList(keys);
    }

    /**
     * Brings home what is dirty at the call, also of files that failed lately, and always ends,
     * also when writers go on. What it brought home stays clean if it is stopped; a new call goes
     * on.
     *
     * @param files which files, by their numbers
     * @param patienceNanos how long what fails is tried again and again while nothing comes home,
     *     from the first failure on; three times at least
     * @param listener told how it goes on, in this thread
     * @return false if the listener stopped it, or the cleaner is being closed
     * @throws CleaningException if that is over; names the last error
     */
    public boolean flush(IntPredicate files, long patienceNanos, FlushListener listener)
            throws CleaningException {
        BlockList all = dirty.list(0);
        long[] keys = new long[all.size()];
        int count = 0;
        for (int i = 0; i < all.size(); i++) {
            if (files.test(all.file(i))) {
                keys[count++] = all.keys()[i];
            }
        }
        BlockList covered = new BlockList(Arrays.copyOf(keys, count));
        return new Flush(covered, lane, dirty, background, clock, patienceNanos, listener).run();
    }

    /**
     * Begins to bring everything home in the background, until nothing is dirty or {@link
     * #stopDraining} is called. The caller sees to it that nothing becomes dirty any more.
     */
    public void drain() {
        background.drain();
        task.wake();
    }

    public void stopDraining() {
        background.stopDraining();
    }

    /** Whether a drain is under way; it is over when nothing is dirty. */
    public boolean isDraining() {
        return background.isDraining();
    }

    /** Blocks that are dirty at present. */
    public int remainingBlocks() {
        return dirty.dirtyCount();
    }

    /** Bytes a second that went home over the last ten seconds. */
    public long writebackRateBytesPerSecond() {
        return Math.round(lane.meter().blocksPerSecond() * dirty.blockBytes());
    }

    /**
     * The last error, for people to read, as long as something of these files cannot be brought
     * home.
     *
     * @param files which files, by their numbers
     */
    public Optional<String> lastError(IntPredicate files) {
        return lane.failures().lastError(files);
    }

    /** What could not be brought home when it was tried last. */
    Failures failures() {
        return lane.failures();
    }

    /** Whether somebody waits for a turn on the lane. */
    boolean isLaneWaitedFor() {
        return lane.isWaitedFor();
    }

    /** Ends the batch under way and the thread; writers are not held back any more. */
    @Override
    public void close() {
        background.stop();
        throttle.changed();
        task.close();
    }
}
