package org.ssdcache.cache;

import java.io.IOException;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileLocator;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.index.FileTable;
import org.ssdcache.store.BlockStore;

/** What the cache has and the backing has not, as a whole; and taking it over at a mount. */
final class DirtyState {
    private final BlockIndex index;
    private final FileTable files;
    private final DirtySlots dirty;
    private final PendingFiles pending;
    private final BlockGeometry geometry;

    DirtyState(
            BlockIndex index,
            FileTable files,
            DirtySlots dirty,
            PendingFiles pending,
            BlockGeometry geometry) {
        this.index = index;
        this.files = files;
        this.dirty = dirty;
        this.pending = pending;
        this.geometry = geometry;
    }

    boolean isAny() {
        return dirty.count() != 0 || !pending.isEmpty();
    }

    /**
     * Takes over what the last mount left. After a crash there may be pages of a write whose growth
     * of the file is not on record: nobody was told that it is durable, and its bytes must not show
     * up when the file grows again.
     */
    void inherit(BlockStore store, BlockMap map, DirtyUpdate update) throws IOException {
        dirty.forEach(slot -> makePending(index.fileOf(slot)));
        if (!store.wasClean()) {
            dirty.forEach(slot -> cutOff(slot, map));
            for (PendingFile file : pending.all()) {
                clearTail(file, map, update);
            }
        }
        map.keepSpare();
    }

    /** Drops every clean page of a file that nobody has open. */
    void dropClean(int file, BlockMap map) {
        for (int slot = 0; slot < index.slotCount(); slot++) {
            if (index.isMapped(slot) && index.fileOf(slot) == file) {
                map.keepOnly(file, index.blockOf(slot), slot, index.dirtyPages(slot));
            }
        }
    }

    private void makePending(int file) {
        if (pending.get(file) == null) {
            FileFacts facts = files.factsOf(file);
            pending.restore(
                    file,
                    new PendingAttributes(
                            facts.sizeBytes(),
                            facts.modifiedNanos(),
                            facts.changedNanos(),
                            FileLocator.NONE));
        }
    }

    private void cutOff(int slot, BlockMap map) {
        int file = index.fileOf(slot);
        long sizeBytes = pending.get(file).attributes().sizeBytes();
        long startBytes = geometry.startOf(index.blockOf(slot));
        long inside = Math.max(0, Math.min(geometry.blockBytes(), sizeBytes - startBytes));
        int pages = geometry.pagesTouched(0, (int) inside);
        map.keepOnly(file, index.blockOf(slot), slot, pages);
    }

    private void clearTail(PendingFile file, BlockMap map, DirtyUpdate update) throws IOException {
        long sizeBytes = file.attributes().sizeBytes();
        int tailBytes = (int) (BlockGeometry.pageEnd(sizeBytes) - sizeBytes);
        if (tailBytes != 0 && !update.isZero(file.number(), sizeBytes, tailBytes)) {
            boolean cleared = update.zeroDirty(file.number(), null, sizeBytes, tailBytes);
            if (!cleared) {
                map.dropOneClean();
                map.releaseRetired();
                cleared = update.zeroDirty(file.number(), null, sizeBytes, tailBytes);
            }
            if (!cleared) {
                throw new IOException("no slot is free to correct the end of a file");
            }
        }
    }
}
