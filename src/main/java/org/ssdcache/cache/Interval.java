package org.ssdcache.cache;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.ssdcache.store.BlockStore;

/**
 * The changes of the backing between two of its syncs: which regions of which files, and which
 * changes are still under way.
 *
 * <p>A region is noted before its intent is appended to the journal, so that a checkpoint whose cut
 * lies behind that record finds it here and records it again; it is covered only when the record is
 * durable. A file that loses its number is forgotten, so that the number's next file is not taken
 * for covered.
 */
final class Interval {
    /** The regions of one file. */
    private static final class Marks {
        /** Every region whose intent is in the journal or about to be. */
        private final Set<Integer> noted = ConcurrentHashMap.newKeySet();

        /** Regions whose intent is durable. */
        private final Set<Integer> durable = ConcurrentHashMap.newKeySet();
    }

    /** By the file's number. */
    private final Map<Integer, Marks> files = new ConcurrentHashMap<>();

    /** How many regions were noted; forgotten ones count on. */
    private final AtomicInteger size = new AtomicInteger();

    /** Shared by the changes under way. */
    private final ReentrantReadWriteLock running = new ReentrantReadWriteLock();

    void enter() {
        running.readLock().lock();
    }

    void leave() {
        running.readLock().unlock();
    }

    /** Waits until every change that began in this interval has ended. */
    @SuppressWarnings("LockNotBeforeTry") // nothing happens between lock and unlock
    void awaitQuiet() {
        running.writeLock().lock();
        running.writeLock().unlock();
    }

    boolean covers(int file, int region) {
        Marks marks = files.get(file);
        return marks != null
                && (marks.durable.contains(region)
                        || marks.durable.contains(BlockStore.WHOLE_FILE));
    }

    /** The region's intent is about to be appended. */
    void marking(int file, int region) {
        if (marksOf(file).noted.add(region)) {
            size.incrementAndGet();
        }
    }

    /** The region's intent is durable. */
    void marked(int file, int region) {
        marksOf(file).durable.add(region);
    }

    /** The file has just been given its number: its intent precedes all its blocks. */
    void markWholeFile(int file) {
        marking(file, BlockStore.WHOLE_FILE);
        marked(file, BlockStore.WHOLE_FILE);
    }

    /** The file lost its number, and with it everything cached that could be in doubt. */
    void forget(int file) {
        files.remove(file);
    }

    private Marks marksOf(int file) {
        return files.computeIfAbsent(file, number -> new Marks());
    }

    boolean isEmpty() {
        return files.isEmpty();
    }

    int size() {
        return size.get();
    }

    /** Numbers of the files that were changed. */
    int[] files() {
        return files.keySet().stream().mapToInt(Integer::intValue).toArray();
    }

    /** The noted regions of a file; none if it was forgotten meanwhile. */
    int[] regionsOf(int file) {
        Marks marks = files.get(file);
        return marks == null
                ? new int[0]
                : marks.noted.stream().mapToInt(Integer::intValue).toArray();
    }
}
