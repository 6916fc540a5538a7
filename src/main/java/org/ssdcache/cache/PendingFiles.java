package org.ssdcache.cache;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.BlockStore;

/** The files that the backing does not have as applications see them, by number. */
final class PendingFiles {
    /**
     * The time of change that the mount goes on to show while the backing's own stays what it is.
     */
    private record ShownChange(long backingNanos, long shownNanos) {}

    /** Tells what a file is like. */
    @FunctionalInterface
    interface AttributesSource {
        PendingAttributes attributes() throws IOException;
    }

    /** How many settled files keep their shown time; beyond, the backing's own is shown. */
    private static final int MAX_SHOWN = 1 << 16;

    private final BlockStore store;
    private final PendingLease lease;
    private final CacheHealth health;
    private final ConcurrentHashMap<Integer, PendingFile> files = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Integer, ShownChange> shown = new ConcurrentHashMap<>();

    /** Files whose end of the pending state may not be durable: up to which record it is not. */
    private final ConcurrentHashMap<Integer, Long> unsureEnds = new ConcurrentHashMap<>();

    PendingFiles(BlockStore store, PendingLease lease, CacheHealth health) {
        this.store = store;
        this.lease = lease;
        this.health = health;
    }

    /** Null if the backing has the file as it is. */
    PendingFile get(int number) {
        return files.get(number);
    }

    /** A change that an application makes of a file on the backing; closed when it is made. */
    final class BackingChange implements AutoCloseable {
        private final CachedFile file;
        private final PendingFile state;

        private BackingChange(CachedFile file, PendingFile state) {
            this.file = file;
            this.state = state;
        }

        /** Null if the file was not pending when the change began. */
        PendingFile state() {
            return state;
        }

        /** The file may have grown. It may also have become pending since the change began. */
        void grown() throws IOException {
            PendingFile now = state != null ? state : files.get(file.number());
            if (now != null && now.growTo(file.sizeBytes())) {
                record(now);
            }
        }

        @Override
        public void close() {
            if (state != null) {
                state.endChange();
            }
        }
    }

    /**
     * An application is going to change a file on the backing; the caller holds a share of {@link
     * CachedFile#resizing}. What the journal says of the file must be right after a crash: if it is
     * pending, that the daemon itself changed it, and if it is not any more, that.
     *
     * @throws ErrnoException EIO if the file is pending and the journal has failed: then nothing
     *     would tell the next mount that what is cached of the file is old
     */
    BackingChange beginBackingChange(CachedFile file, long nowNanos) throws IOException {
        PendingFile state = files.get(file.number());
        if (state == null || !state.beginChange(nowNanos)) {
            makeEndDurable(file.number());
            return new BackingChange(file, null);
        }
        boolean begun = false;
        try {
            if (health.hasFailed()) {
                throw new ErrnoException(
                        Errno.EIO, file + " is dirty and the cache's journal has failed");
            }
            lease.ensure();
            begun = true;
        } finally {
            if (!begun) {
                state.endChange();
            }
        }
        return new BackingChange(file, state);
    }

    /** If the file was settled a moment ago, makes sure that a crash does not take that back. */
    void makeEndDurable(int number) throws IOException {
        Long sequence = unsureEnds.get(number);
        if (sequence != null) {
            if (sequence > store.durableSequence()) {
                store.sync();
            }
            unsureEnds.remove(number, sequence);
        }
    }

    boolean isEmpty() {
        return files.isEmpty();
    }

    int count() {
        return files.size();
    }

    List<PendingFile> all() {
        return new ArrayList<>(files.values());
    }

    /** What the store remembers from the last mount. */
    void restore(int number, PendingAttributes attributes) {
        PendingFile file = new PendingFile(number, attributes);
        file.setRecorded();
        files.put(number, file);
    }

    /**
     * An application begins to change the file's content; the caller ends that with {@link
     * PendingFile#endChange}. Before the first change of a file its attributes go into the journal,
     * so that every dirty block has a file whose length is known.
     *
     * @param before what the file is like before the change; asked if it is not pending yet
     */
    PendingFile beginChange(int number, AttributesSource before, long nowNanos) throws IOException {
        while (true) {
            PendingFile file = files.get(number);
            if (file == null) {
                file = add(number, before.attributes());
            }
            file.recordFirst(attributes -> store.filePending(number, attributes));
            if (file.beginChange(nowNanos)) {
                return file;
            }
            files.remove(number, file);
        }
    }

    private PendingFile add(int number, PendingAttributes now) {
        PendingFile mine = new PendingFile(number, now);
        PendingFile other = files.putIfAbsent(number, mine);
        return other == null ? mine : other;
    }

    /** Brings attributes that changed into the journal. */
    void record(PendingFile file) throws IOException {
        file.record(attributes -> store.filePending(file.number(), attributes));
    }

    /** The same for every file. */
    void recordAll() throws IOException {
        long durable = store.durableSequence();
        unsureEnds.values().removeIf(sequence -> sequence <= durable);
        for (PendingFile file : files.values()) {
            record(file);
        }
    }

    /**
     * The backing has everything of the file, durably, if it did not change since a version.
     *
     * @param backingChangedNanos the backing's own time of change now
     */
    boolean settle(PendingFile file, long sinceVersion, long backingChangedNanos)
            throws IOException {
        int number = file.number();
        long shownNanos = file.attributes().changedNanos();
        if (!file.settle(sinceVersion, () -> store.fileSettled(number))) {
            return false;
        }
        if (shown.size() < MAX_SHOWN) {
            shown.put(number, new ShownChange(backingChangedNanos, shownNanos));
        }
        unsureEnds.put(number, store.lastSequence());
        files.remove(number, file);
        return true;
    }

    /** The number stands for no file any more. */
    void forget(int number) {
        files.remove(number);
        shown.remove(number);
        unsureEnds.remove(number);
    }

    /** What to show of a file that is not pending, given what it is like on the backing. */
    FileFacts shown(int number, FileFacts onBacking) {
        ShownChange change = shown.get(number);
        if (change == null) {
            return onBacking;
        }
        if (change.backingNanos() != onBacking.changedNanos()) {
            shown.remove(number, change);
            return onBacking;
        }
        return new FileFacts(onBacking.sizeBytes(), onBacking.modifiedNanos(), change.shownNanos());
    }

    /** Files whose end only the next sync of the backing makes certain. */
    List<PendingFile> doomed() {
        return files.entrySet().stream()
                .map(Map.Entry::getValue)
                .filter(PendingFile::isDoomed)
                .toList();
    }
}
