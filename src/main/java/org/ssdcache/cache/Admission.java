package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.index.FileTable;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;

/** Puts blocks that were read from the backing into slots. */
final class Admission {
    private final BlockIndex index;
    private final FileTable files;
    private final FileRecords records;
    private final Slots slots;
    private final BlockMap map;
    private final BlockLocks locks;
    private final Evictor evictor;
    private final CacheHealth health;
    private final Counters counters;
    private final BlockGeometry geometry;

    Admission(
            BlockIndex index,
            FileTable files,
            FileRecords records,
            Slots slots,
            BlockMap map,
            BlockLocks locks,
            Evictor evictor,
            CacheHealth health,
            Counters counters,
            BlockGeometry geometry) {
        this.index = index;
        this.files = files;
        this.records = records;
        this.slots = slots;
        this.map = map;
        this.locks = locks;
        this.evictor = evictor;
        this.health = health;
        this.counters = counters;
        this.geometry = geometry;
    }

    /**
     * Caches a claimed block, unless a write overtook the fill. Never fails the reader: what cannot
     * be cached is counted and read again next time.
     *
     * @param data position 0 is the block's first byte; as many pages as the file has of the block
     */
    void fill(CachedFile file, int block, BlockClaims.Claim claim, ByteBuffer data) {
        int pages = geometry.pagesTouched(0, data.remaining());
        if (pages == 0 || !health.usable()) {
            return;
        }
        try {
            if (!records.registerForFill(file)) {
                counters.add(BypassReason.FILES.counter(), 1);
                return;
            }
        } catch (IOException e) {
            health.journalFailed(e);
            return;
        }
        if (index.lookupLocked(file.number(), block) != BlockIndex.NONE) {
            addPages(file, block, claim, data, pages);
        } else {
            fillNewSlot(file, block, claim, data, pages);
        }
    }

    private void fillNewSlot(
            CachedFile file, int block, BlockClaims.Claim claim, ByteBuffer data, int pages) {
        int slot = map.take();
        evictor.wakeIfLow();
        if (slot == BlockIndex.NONE) {
            counters.add(BypassReason.CONGESTED.counter(), 1);
            return;
        }
        int[] checksums = slots.checksums(data, pages);
        try {
            slots.write(slot, 0, data.duplicate());
        } catch (IOException e) {
            health.slotFailed(slot, e);
            map.giveBack(slot);
            return;
        }
        slots.setVerified(slot);
        try (BlockLocks.Held held = locks.lock(file.id(), block)) {
            if (isWanted(file, claim)
                    && map.publish(file.number(), block, slot, pages, checksums)) {
                file.setAdmitted();
                return;
            }
        }
        counters.add(Counter.CACHE_MISS_COLLISIONS, 1);
        map.giveBack(slot);
    }

    /** The block has a slot with other pages in it: only the missing ones are written. */
    private void addPages(
            CachedFile file, int block, BlockClaims.Claim claim, ByteBuffer data, int pages) {
        try (BlockLocks.Held held = locks.lock(file.id(), block)) {
            int slot = index.lookupLocked(file.number(), block);
            if (slot == BlockIndex.NONE || !isWanted(file, claim)) {
                counters.add(Counter.CACHE_MISS_COLLISIONS, 1);
                return;
            }
            int valid = index.validPages(slot);
            int missing = pages & ~valid;
            try {
                if (missing == 0 || !slots.mayFill(slot) || !slots.verify(slot, valid)) {
                    return;
                }
                for (int page = 0; page < geometry.pagesPerBlock(); page++) {
                    if ((missing & 1 << page) != 0) {
                        int start = page * BlockGeometry.PAGE_BYTES;
                        slots.write(slot, start, data.slice(start, BlockGeometry.PAGE_BYTES));
                    }
                }
            } catch (IOException e) {
                // The added pages are not valid yet, and what else is in the slot may be dirty.
                health.slotFailed(slot, e);
                return;
            }
            int[] checksums = slots.checksums(data, missing);
            map.change(file.number(), block, slot, valid | missing, missing, checksums);
        }
    }

    private boolean isWanted(CachedFile file, BlockClaims.Claim claim) {
        return !claim.overtaken() && files.find(file.id()) == file.number();
    }
}
