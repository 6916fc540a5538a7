package org.ssdcache.cache;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.ssdcache.store.BlockStore;

/**
 * The changes of the backing between two of its syncs: which regions of which files, and which
 * changes are still under way.
 *
 * <p>A region is noted before its intent is appended to the journal, so that a checkpoint whose cut
 * lies behind that record finds it here and records it again; it is covered only when the record is
 * durable.
 */
final class Interval {
    /** Every region whose intent is in the journal or about to be. */
    private final Set<Long> noted = ConcurrentHashMap.newKeySet();

    /** Regions whose intent is durable. */
    private final Set<Long> durable = ConcurrentHashMap.newKeySet();

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
        return durable.contains(key(file, region))
                || durable.contains(key(file, BlockStore.WHOLE_FILE));
    }

    /** The region's intent is about to be appended. */
    void marking(int file, int region) {
        noted.add(key(file, region));
    }

    /** The region's intent is durable. */
    void marked(int file, int region) {
        durable.add(key(file, region));
    }

    /** The file has just been given its number: its intent precedes all its blocks. */
    void markWholeFile(int file) {
        noted.add(key(file, BlockStore.WHOLE_FILE));
        durable.add(key(file, BlockStore.WHOLE_FILE));
    }

    boolean isEmpty() {
        return noted.isEmpty();
    }

    int size() {
        return noted.size();
    }

    /** All regions, to be taken apart by {@link #fileOf} and {@link #regionOf}. */
    long[] keys() {
        return noted.stream().mapToLong(Long::longValue).toArray();
    }

    /** Numbers of the files that were changed. */
    int[] files() {
        return noted.stream().mapToInt(Interval::fileOf).distinct().toArray();
    }

    static int fileOf(long key) {
        return (int) (key >> Integer.SIZE);
    }

    static int regionOf(long key) {
        return (int) key;
    }

    private static long key(int file, int region) {
        return (long) file << Integer.SIZE | (region & 0xffff_ffffL);
    }
}
