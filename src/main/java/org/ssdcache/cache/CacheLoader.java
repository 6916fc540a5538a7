package org.ssdcache.cache;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.MappingSink;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.index.FileTable;
import org.ssdcache.index.MapDbIndex;
import org.ssdcache.store.BlockStore;

/**
 * BlockClaims the index in memory at the mount: from the MapDB image if the last mount ended in
 * order and the image is of the same checkpoint, else from the store's own tables (I5).
 */
final class CacheLoader implements MappingSink {
    private static final Logger LOG = LoggerFactory.getLogger(CacheLoader.class);

    private final BlockIndex index;
    private final FileTable files;
    private final Slots slots;
    private final DirtySlots dirty;
    private final PendingFiles pending;

    CacheLoader(
            BlockIndex index,
            FileTable files,
            Slots slots,
            DirtySlots dirty,
            PendingFiles pending) {
        this.dirty = dirty;
        this.pending = pending;
        this.index = index;
        this.files = files;
        this.slots = slots;
    }

    /**
     * Loads every file and every slot. Dirty blocks are in the store's tables only: an image is not
     * finished while there are any.
     *
     * @return whether the image was good; if not, it has to be written anew
     */
    boolean load(BlockStore store, MapDbIndex image) throws IOException {
        boolean fromImage = store.wasClean() && image.load(store.checkpointSequence(), this);
        if (!fromImage) {
            LOG.info("the index is rebuilt from the slot table");
            store.load(this);
        }
        return fromImage;
    }

    @Override
    public void file(int file, FileId id, FileFacts facts) {
        if (!files.restore(file, id, facts)) {
            LOG.warn("file number {} is left out: inode {} has another one", file, id.inode());
        }
    }

    @Override
    public void slot(int slot, int file, int block, int validPages, int dirtyPages) {
        if (files.isLive(file) && index.restore(file, block, slot, validPages, dirtyPages)) {
            slots.setUnverified(slot);
            if (dirtyPages != 0) {
                dirty.add(file, slot);
            }
        }
    }

    @Override
    public void pending(int file, PendingAttributes attributes) {
        if (files.isLive(file)) {
            pending.restore(file, attributes);
        }
    }
}
