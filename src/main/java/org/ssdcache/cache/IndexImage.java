package org.ssdcache.cache;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
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

    private final MapDbIndex mapDb;
    private final BlockIndex index;
    private final FileTable files;
    private final Set<Long> changedChunks = ConcurrentHashMap.newKeySet();
    private final Set<Integer> changedFiles = ConcurrentHashMap.newKeySet();
    private volatile boolean usable = true;

    IndexImage(MapDbIndex mapDb, BlockIndex index, FileTable files) {
        this.mapDb = mapDb;
        this.index = index;
        this.files = files;
    }

    void changed(int file, int block) {
        changedChunks.add((long) file << Integer.SIZE | block / MapDbIndex.CHUNK_BLOCKS);
    }

    void fileChanged(int file) {
        changedFiles.add(file);
    }

    /**
     * Everything is to be written, as after a rebuild. Files that have no block yet as well: they
     * keep their number when they get one.
     */
    void everythingChanged() {
        for (int file : files.liveNumbers()) {
            fileChanged(file);
        }
        for (int slot = 0; slot < index.slotCount(); slot++) {
            if (index.isMapped(slot)) {
                changed(index.fileOf(slot), index.blockOf(slot));
            }
        }
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
            drain(changedFiles, this::writeFile);
            drain(changedChunks, this::writeChunk);
            mapDb.commit(sequence, clean);
        } catch (RuntimeException | Error e) {
            // MapDB throws errors as well as exceptions when its file is damaged.
            usable = false;
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

    private void writeFile(int file) {
        if (files.isLive(file)) {
            mapDb.putFile(file, files.idOf(file), files.factsOf(file));
        } else {
            mapDb.removeFile(file);
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
