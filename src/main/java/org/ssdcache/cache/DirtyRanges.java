package org.ssdcache.cache;

import java.io.IOException;
import org.ssdcache.index.BlockIndex;

/** Whether blocks of a range are dirty or on their way home, and bringing them there. */
final class DirtyRanges {
    private final BlockIndex index;
    private final DirtySlots dirty;
    private final BlockClaims cleanings;
    private volatile CleaningService service;

    DirtyRanges(BlockIndex index, DirtySlots dirty, BlockClaims cleanings) {
        this.index = index;
        this.dirty = dirty;
        this.cleanings = cleanings;
    }

    void setService(CleaningService service) {
        this.service = service;
    }

    CleaningService service() {
        return service;
    }

    /** Whether a write to the backing would meet the cache's own; the blocks are locked. */
    boolean isAny(CachedFile file, int firstBlock, int lastBlock) {
        for (int block = firstBlock; block <= lastBlock; block++) {
            if (isDirty(file.number(), block) || cleanings.isClaimed(file.id(), block)) {
                return true;
            }
        }
        return false;
    }

    private boolean isDirty(int number, int block) {
        if (number == CachedFile.UNREGISTERED || dirty.countOf(number) == 0) {
            return false;
        }
        int slot = index.lookupLocked(number, block);
        return slot != BlockIndex.NONE && index.dirtyPages(slot) != 0;
    }

    /**
     * Returns when no block of the range is dirty or claimed that was at the call. The caller holds
     * no lock of a block.
     *
     * @throws IOException if the backing refuses a block, which stays dirty
     */
    void bringHome(CachedFile file, int firstBlock, int lastBlock) throws IOException {
        int number = file.number();
        if (number == CachedFile.UNREGISTERED) {
            return;
        }
        if (dirty.countOf(number) > 0) {
            service.cleanNow(number, firstBlock, lastBlock);
        }
        cleanings.awaitRange(file.id(), firstBlock, lastBlock);
    }
}
