package org.ssdcache.cache;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.PendingAttributes;
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
    private final ConcurrentHashMap<Integer, PendingFile> files = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Integer, ShownChange> shown = new ConcurrentHashMap<>();

    PendingFiles(BlockStore store, PendingLease lease) {
        this.store = store;
        this.lease = lease;
    }

    /** Null if the backing has the file as it is. */
    PendingFile get(int number) {
        return files.get(number);
    }

    /**
     * The backing file is going to be changed; if it is pending, that has to be known after a
     * crash.
     */
    void beforeBackingChange(int number) throws IOException {
        if (files.containsKey(number)) {
            lease.ensure();
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
            if (file.beginChange(nowNanos)) {
                return file;
            }
            files.remove(number, file);
        }
    }

    private PendingFile add(int number, PendingAttributes now) throws IOException {
        PendingFile mine = new PendingFile(number, now);
        PendingFile other = files.putIfAbsent(number, mine);
        if (other != null) {
            return other;
        }
        record(mine);
        return mine;
    }

    /** An application changed a pending file on the backing itself. */
    void changedOnBacking(int number, long endBytes, long nowNanos) throws IOException {
        PendingFile file = files.get(number);
        if (file != null && file.beginChange(nowNanos)) {
            try {
                if (file.growTo(endBytes)) {
                    record(file);
                }
            } finally {
                file.endChange();
            }
        }
    }

    /** Brings attributes that changed into the journal. */
    void record(PendingFile file) throws IOException {
        file.record(attributes -> store.filePending(file.number(), attributes));
    }

    /** The same for every file. */
    void recordAll() throws IOException {
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
        files.remove(number, file);
        return true;
    }

    /** The number stands for no file any more. */
    void forget(int number) {
        files.remove(number);
        shown.remove(number);
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
