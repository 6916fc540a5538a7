package org.ssdcache.cleaner;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.cache.BlockList;
import org.ssdcache.io.Clock;

/**
 * The books on what could not be brought home, and when and how it is tried again. When a batch
 * fails, nobody knows which of its blocks is the bad one: all are tried again, in batches that
 * become smaller each time, so that in the end only the bad blocks stay dirty. A file is left alone
 * as a whole when it cannot be opened or one batch after the other fails. Told by whose turn it is
 * on the lane, asked by all.
 */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    /** So many batches of a file that fail one after the other are not about single blocks. */
    static final int BATCHES_IN_A_ROW = 3;

    /** With more failing blocks than this the whole file is left alone for a while. */
    static final int MAX_FAILING_BLOCKS = 10_000;

    /** Of blocks that failed once, or of a file that failed, so many are tried together. */
    static final int FIRST_RETRY_BLOCKS = 128;

    /** With each further failure a batch has so many times fewer blocks. */
    private static final int SHRINKING = 8;

    private final FileNames names;
    private final Backoff<Integer> files;

    /** Blocks of batches that the backing refused. */
    private final Backoff<Long> refused;

    /** Blocks that the cache cannot read. */
    private final Backoff<Long> unreadable;

    /** How many batches of a file failed since the last one that did not. */
    private final Map<Integer, Integer> failedInRow = new ConcurrentHashMap<>();

    Failures(Clock clock, FileNames names) {
        this.names = names;
        this.files = new Backoff<>(clock);
        this.refused = new Backoff<>(clock);
        this.unreadable = new Backoff<>(clock);
    }

    boolean isEmpty() {
        return files.count() + refused.count() + unreadable.count() == 0;
    }

    /** Files that the backing refused something of when it was tried last. */
    int failingFiles() {
        Set<Integer> failing = new HashSet<>(files.keys());
        refused.keys().forEach(key -> failing.add(fileOf(key)));
        return failing.size();
    }

    /** Blocks that the backing refused, or whose batch it did. */
    int refusedBlocks() {
        return refused.count();
    }

    int unreadableBlocks() {
        return unreadable.count();
    }

    /** The last error, for people, as long as something of these files fails. */
    Optional<String> lastError(IntPredicate ofFiles) {
        return files.lastError(ofFiles::test)
                .or(() -> refused.lastError(key -> ofFiles.test(fileOf(key))))
                .or(() -> unreadable.lastError(key -> ofFiles.test(fileOf(key))));
    }

    private static int fileOf(long key) {
        return (int) (key >>> Integer.SIZE);
    }

    /** Whether nothing of the file should be tried at present. */
    boolean isFileHeldBack(int file) {
        return files.isHeldBack(file);
    }

    private boolean isHeldBack(long key) {
        return files.isHeldBack(fileOf(key))
                || refused.isHeldBack(key)
                || unreadable.isHeldBack(key);
    }

    private int timesFailed(long key) {
        return Math.max(refused.timesFailed(key), unreadable.timesFailed(key));
    }

    /** Whether the block, or the batch that it was tried with, failed the last time. */
    boolean isFailing(int file, int block) {
        return timesFailed(BlockList.key(file, block)) > 0;
    }

    /** How many blocks a batch may have that takes this one. */
    int batchBlocks(int file, int block) {
        int times = refused.timesFailed(BlockList.key(file, block));
        return retryBlocks(Math.max(times, files.timesFailed(file)));
    }

    private static int retryBlocks(int timesFailed) {
        if (timesFailed == 0) {
            return Integer.MAX_VALUE;
        }
        int blocks = FIRST_RETRY_BLOCKS;
        for (int i = 1; i < timesFailed && blocks > 1; i++) {
            blocks = Math.max(1, blocks / SHRINKING);
        }
        return blocks;
    }

    /** Those that may be tried at present, in the order of {@link #leastFailedFirst}. */
    BlockList due(BlockList list) {
        if (isEmpty()) {
            return list;
        }
        long[] due = Arrays.stream(list.keys()).filter(key -> !isHeldBack(key)).toArray();
        return leastFailedFirst(new BlockList(due));
    }

    /**
     * First what has not failed, in its order, then what failed once, and so on: nothing waits
     * behind a bad block.
     */
    BlockList leastFailedFirst(BlockList list) {
        if (isEmpty()) {
            return list;
        }
        Map<Integer, LongStream.Builder> byTimes = new TreeMap<>();
        for (long key : list.keys()) {
            byTimes.computeIfAbsent(timesFailed(key), times -> LongStream.builder()).add(key);
        }
        return new BlockList(
                byTimes.values().stream().flatMapToLong(LongStream.Builder::build).toArray());
    }

    /** Forgets failures of blocks that are not dirty any more. */
    void forgetUnlessIn(BlockList dirtyBlocks) {
        long[] keys = dirtyBlocks.keys();
        refused.forgetUnless(key -> Arrays.binarySearch(keys, key) >= 0);
        unreadable.forgetUnless(key -> Arrays.binarySearch(keys, key) >= 0);
        files.forgetUnless(file -> hasFile(dirtyBlocks, file));
        failedInRow.keySet().removeIf(file -> !hasFile(dirtyBlocks, file));
    }

    private static boolean hasFile(BlockList list, int file) {
        int found = Arrays.binarySearch(list.keys(), BlockList.key(file, 0));
        int first = found >= 0 ? found : -found - 1;
        return first < list.size() && list.file(first) == file;
    }

    /** What people are told when the backing refuses something of a file. */
    String refusal(int file, IOException reason) {
        return String.format(
                "The backing refuses blocks of %s: %s", names.nameOf(file), reason.getMessage());
    }

    /** The same of a batch with blocks that the cache cannot read. */
    String unreadableSentence(Batch batch) {
        return batch.unreadableSentence(names.nameOf(batch.file()));
    }

    /**
     * The backing refused a batch.
     *
     * @param tried what the batch took; nothing if the file could not be opened
     */
    void batchFailed(int file, BlockList tried, IOException reason) {
        String error = refusal(file, reason);
        int inRow = failedInRow.merge(file, 1, Integer::sum);
        boolean hasRoom = hasRoomFor(refused, tried.keys());
        boolean news = false;
        if (hasRoom) {
            news = fail(refused, tried.keys(), error);
        }
        if (!hasRoom || tried.size() == 0 || inRow >= BATCHES_IN_A_ROW) {
            news |= files.failed(file, error);
        }
        tell(news && inRow == 1, error, reason);
    }

    /** Whether the blocks can be remembered, too. */
    private boolean hasRoomFor(Backoff<Long> failing, long[] keys) {
        int room = MAX_FAILING_BLOCKS - refused.count() - unreadable.count();
        return keys.length <= room
                || Arrays.stream(keys).filter(key -> failing.timesFailed(key) == 0).count() <= room;
    }

    /** Returns whether one of them failed for the first time. */
    private static boolean fail(Backoff<Long> failing, long[] keys, String error) {
        boolean news = false;
        for (long key : keys) {
            news |= failing.failed(key, error);
        }
        return news;
    }

    private static void tell(boolean news, String error, IOException reason) {
        if (news) {
            LOG.error("{}; they stay dirty and are tried again", error);
            LOG.debug("It failed here", reason);
        }
    }

    /**
     * The backing took a batch.
     *
     * @param entries what the batch went through, with what the cache could not read
     */
    void batchDone(Batch batch, BlockList entries) {
        if (batch.unreadable().length == 0 && isEmpty()) {
            failedInRow.remove(batch.file());
            return;
        }
        int file = batch.file();
        long[] bad =
                Arrays.stream(batch.unreadable())
                        .mapToLong(block -> BlockList.key(file, block))
                        .toArray();
        if (!hasRoomFor(unreadable, bad)) {
            String error = unreadableSentence(batch);
            tell(files.failed(file, error), error, batch.unreadableReason());
            return;
        }
        failedInRow.remove(file);
        if (files.succeeded(file)) {
            LOG.info("{} can be brought home again", names.nameOf(file));
        }
        for (long key : entries.keys()) {
            refused.succeeded(key);
            if (Arrays.binarySearch(bad, key) < 0) {
                unreadable.succeeded(key);
            }
        }
        if (bad.length > 0) {
            String error = unreadableSentence(batch);
            tell(fail(unreadable, bad, error), error, batch.unreadableReason());
        }
    }
}
