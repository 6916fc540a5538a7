package org.ssdcache.cache;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.ssdcache.io.Clock;
import org.ssdcache.store.BlockStore;

/**
 * Which regions of which files were changed on the backing in this checkpoint interval.
 *
 * <p>Backing and SSD cannot be changed at one stroke. Before the first change of a region (64 MiB
 * of a file) in an interval, the region is recorded durably in the journal; after a crash the clean
 * blocks of recorded regions are dropped and all others stay warm (I9) without ever serving stale
 * bytes (I2). An interval ends when the backing has been synced after the last change of the
 * interval: from then on a power cut cannot take back what the cache has seen.
 *
 * <p>A file that gets its number because it is written needs no sync: its intent stands in the
 * journal before anything that maps one of its blocks, and a journal is replayed as a prefix. So
 * unpacking a thousand small files costs no thousand syncs.
 */
final class WriteIntents {
    /** How much of a file one intent covers. */
    static final long REGION_BYTES = 64L << 20;

    /**
     * While this daemon lives it says, this far ahead, until when it may change files. Short, since
     * after a crash a foreign change within the lease is taken for its own.
     */
    static final long LEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The changes between two checkpoints. */
    static final class Interval {
        private final Set<Long> marked = ConcurrentHashMap.newKeySet();
        private final ReentrantReadWriteLock running = new ReentrantReadWriteLock();

        private boolean covers(int file, int region) {
            return marked.contains(key(file, region))
                    || marked.contains(key(file, BlockStore.WHOLE_FILE));
        }

        /** Waits until every change that began in this interval has ended. */
        @SuppressWarnings("LockNotBeforeTry") // nothing happens between lock and unlock
        void awaitQuiet() {
            running.writeLock().lock();
            running.writeLock().unlock();
        }

        boolean isEmpty() {
            return marked.isEmpty();
        }

        /** Numbers of the files that were changed. */
        int[] files() {
            return marked.stream().mapToInt(WriteIntents::fileOf).distinct().toArray();
        }
    }

    /** A change under way; closed when backing and slots agree again. */
    final class Change implements AutoCloseable {
        private final Interval interval;

        private Change(Interval interval) {
            this.interval = interval;
        }

        /** A change that took longer than the lease is covered by a new one. */
        @Override
        public void close() {
            extendLease(0);
            interval.running.readLock().unlock();
        }
    }

    /** The interval that just ended, and up to where its records stand in the journal. */
    record Ended(Interval interval, long journalCut) {}

    private final BlockStore store;
    private final FileRecords records;
    private final CacheHealth health;
    private final Clock clock;
    private volatile Interval current = new Interval();
    private volatile long leaseNanos;

    WriteIntents(BlockStore store, FileRecords records, CacheHealth health, Clock clock) {
        this.store = store;
        this.records = records;
        this.health = health;
        this.clock = clock;
    }

    /** Announces a change of a byte range; returns when it may be made. */
    Change begin(CachedFile file, long offsetBytes, long lengthBytes) {
        int first = (int) (offsetBytes / REGION_BYTES);
        int last = (int) ((offsetBytes + Math.max(lengthBytes, 1) - 1) / REGION_BYTES);
        return begin(file, first, last);
    }

    /** Announces a change of the file's length. */
    Change beginWholeFile(CachedFile file) {
        return begin(file, BlockStore.WHOLE_FILE, BlockStore.WHOLE_FILE);
    }

    /** Ends the interval: changes from now on belong to the next one. */
    synchronized Ended endInterval() throws IOException {
        Ended ended = new Ended(current, store.cutJournal());
        current = new Interval();
        return ended;
    }

    /** The backing could not be synced: the ended interval's regions stay marked. */
    void carryOver(Interval ended) throws IOException {
        for (Long key : ended.marked) {
            store.writeIntended(fileOf(key), key.intValue());
            current.marked.add(key);
        }
        store.sync();
    }

    private Change begin(CachedFile file, int firstRegion, int lastRegion) {
        Interval interval = enter();
        extendLease(LEASE_NANOS / 2);
        if (!health.hasFailed()) {
            try {
                mark(interval, file, firstRegion, lastRegion);
            } catch (IOException e) {
                health.journalFailed(e);
            }
        }
        return new Change(interval);
    }

    @SuppressWarnings("LockNotBeforeTry") // Change.close() unlocks
    private Interval enter() {
        while (true) {
            Interval interval = current;
            interval.running.readLock().lock();
            if (interval == current) {
                return interval;
            }
            interval.running.readLock().unlock();
        }
    }

    private void mark(Interval interval, CachedFile file, int firstRegion, int lastRegion)
            throws IOException {
        if (records.registerForWrite(file)) {
            interval.marked.add(key(file.number(), BlockStore.WHOLE_FILE));
            return;
        }
        if (file.number() == CachedFile.UNREGISTERED) {
            return;
        }
        boolean recorded = false;
        for (int region = firstRegion; region <= lastRegion; region++) {
            if (!interval.covers(file.number(), region)) {
                store.writeIntended(file.number(), region);
                recorded = true;
            }
        }
        if (recorded) {
            store.sync();
            for (int region = firstRegion; region <= lastRegion; region++) {
                interval.marked.add(key(file.number(), region));
            }
        }
    }

    /** Renews the lease when less than the given time of it is left. */
    private void extendLease(long leftNanos) {
        long now = clock.wallNanos();
        if (now + leftNanos < leaseNanos || health.hasFailed()) {
            return;
        }
        try {
            long until = now + LEASE_NANOS;
            store.extendLease(until);
            leaseNanos = until;
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }

    private static long key(int file, int region) {
        return (long) file << Integer.SIZE | (region & 0xffff_ffffL);
    }

    private static int fileOf(long key) {
        return (int) (key >> Integer.SIZE);
    }
}
