package org.ssdcache.cache;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.index.FileTable;
import org.ssdcache.index.MapDbIndex;

/**
 * Keeps the MapDB image of the index up to date from the background: remembers which chunks and
 * files changed and writes them at each checkpoint. An image that fails is given up until the next
 * mount, which rebuilds it; nothing but start-up time depends on it (I5).
 */
final class IndexImage {
    private static final Logger LOG = LoggerFactory.getLogger(IndexImage.class);
    private static final long NO_CHUNK = -1;

    private final MapDbIndex mapDb;
    private final BlockIndex index;
    private final FileTable files;
    private final Set<Long> changedChunks = ConcurrentHashMap.newKeySet();
    private final Set<Integer> changedFiles = ConcurrentHashMap.newKeySet();
    private volatile boolean usable = true;
    private boolean everything;

    IndexImage(MapDbIndex mapDb, BlockIndex index, FileTable files) {
        this.mapDb = mapDb;
        this.index = index;
        this.files = files;
    }

    void changed(int file, int block) {
        if (usable) {
            changedChunks.add(chunkOf(file, block));
        }
    }

    void fileChanged(int file) {
        if (usable) {
            changedFiles.add(file);
        }
    }

    /**
     * Everything is to be written, as after a rebuild. Files that have no block yet as well: they
     * keep their number when they get one.
     */
    void everythingChanged() {
        everything = true;
    }

    /**
     * Writes what changed since the last call.
     *
     * @param sequence the store's checkpoint that the image belongs to
     * @param clean whether nothing changes any more: only then the next mount may trust the image
     */
    void write(long sequence, boolean clean) {
        if (!usable) {
            return;
        }
        try {
            mapDb.begin();
            if (everything) {
                everything = false;
                writeEverything();
            }
            drain(changedFiles, this::writeFile);
            drain(changedChunks, this::writeChunk);
            mapDb.commit(sequence, clean);
        } catch (RuntimeException | Error e) {
            // MapDB throws errors as well as exceptions when its file is damaged.
            usable = false;
            changedChunks.clear();
            changedFiles.clear();
            LOG.warn("the index image cannot be written; the next mount rebuilds it", e);
        }
    }

    /** What changes again while it is written is written again the next time. */
    private static <T> void drain(Set<T> changed, Consumer<T> write) {
        for (Iterator<T> each = changed.iterator(); each.hasNext(); ) {
            T next = each.next();
            each.remove();
            write.accept(next);
        }
    }

    private void writeChunk(long chunk) {
        mapDb.putChunk((int) (chunk >> Integer.SIZE), (int) chunk, index);
    }

    private void writeEverything() {
        for (int file : files.liveNumbers()) {
            writeFile(file);
        }
        long written = NO_CHUNK;
        for (long chunk : chunksOfAllSlots()) {
            if (chunk != written) {
                writeChunk(chunk);
                written = chunk;
            }
        }
    }

    /** One key for each mapped slot, in order, so that equal ones are neighbours. */
    private long[] chunksOfAllSlots() {
        return IntStream.range(0, index.slotCount())
                .filter(index::isMapped)
                .filter(slot -> index.fileOf(slot) >= 0)
                .mapToLong(slot -> chunkOf(index.fileOf(slot), index.blockOf(slot)))
                .sorted()
                .toArray();
    }

    private static long chunkOf(int file, int block) {
        return (long) file << Integer.SIZE | block / MapDbIndex.CHUNK_BLOCKS;
    }

    private void writeFile(int file) {
        FileTable.Entry entry = files.liveEntry(file);
        if (entry == null) {
            mapDb.removeFile(file);
        } else {
            mapDb.putFile(file, entry.id(), entry.facts());
        }
    }

    void close() {
        try {
            mapDb.close();
        } catch (RuntimeException | Error e) {
            LOG.warn("the index image cannot be closed; the next mount rebuilds it", e);
        }
    }
}
