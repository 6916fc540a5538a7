package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.index.FileTable;
import org.ssdcache.metrics.Counters;
import org.ssdcache.store.BlockStore;

/**
 * Brings one block's slot in line with what was just written to the backing. The caller holds the
 * block's lock. Pages that the write covers become valid; a page that it covers only partly is
 * updated if it was valid and stays absent if it was not, so a write never reads the backing.
 */
final class SlotUpdate {
    private final BlockIndex index;
    private final FileTable files;
    private final Slots slots;
    private final BlockMap map;
    private final Evictor evictor;
    private final EvictionPolicy policy;
    private final CacheHealth health;
    private final Counters counters;
    private final BlockGeometry geometry;

    SlotUpdate(
            BlockIndex index,
            FileTable files,
            Slots slots,
            BlockMap map,
            Evictor evictor,
            EvictionPolicy policy,
            CacheHealth health,
            Counters counters,
            BlockGeometry geometry) {
        this.index = index;
        this.files = files;
        this.slots = slots;
        this.map = map;
        this.evictor = evictor;
        this.policy = policy;
        this.health = health;
        this.counters = counters;
        this.geometry = geometry;
    }

    /**
     * The bytes of a part of the block are these now.
     *
     * @param admit whether a block that has no slot gets one
     */
    void write(CachedFile file, int block, int skipBytes, ByteBuffer part, boolean admit) {
        int slot = slotOf(file, block);
        if (slot != BlockIndex.NONE) {
            writeMapped(file, block, slot, skipBytes, part);
        } else if (admit && isLive(file)) {
            writeNew(file, block, skipBytes, part);
        }
    }

    /** The block is not cached any more. */
    void drop(CachedFile file, int block) {
        int slot = slotOf(file, block);
        if (slot != BlockIndex.NONE) {
            map.drop(file.number(), block, slot);
        }
    }

    /** Of the block, only these pages may stay cached; dirty ones go as well. */
    void keepOnly(CachedFile file, int block, int pages) {
        int slot = slotOf(file, block);
        if (slot != BlockIndex.NONE) {
            map.keepOnly(file.number(), block, slot, pages);
        }
    }

    /** The same, but dirty pages stay. */
    void keepOnlyOrDirty(CachedFile file, int block, int pages) {
        int slot = slotOf(file, block);
        if (slot != BlockIndex.NONE) {
            map.keepOnly(file.number(), block, slot, pages | index.dirtyPages(slot));
        }
    }

    private int slotOf(CachedFile file, int block) {
        return file.number() == CachedFile.UNREGISTERED
                ? BlockIndex.NONE
                : index.lookupLocked(file.number(), block);
    }

    private boolean isLive(CachedFile file) {
        return file.number() != CachedFile.UNREGISTERED && files.find(file.id()) == file.number();
    }

    private void writeMapped(CachedFile file, int block, int slot, int skipBytes, ByteBuffer part) {
        int valid = index.validPages(slot);
        int covered = geometry.pagesCovered(skipBytes, part.remaining());
        int changed = geometry.pagesTouched(skipBytes, part.remaining()) & (valid | covered);
        if (changed == 0) {
            return;
        }
        if (!slots.mayFill(slot)) {
            map.keepOnly(file.number(), block, slot, index.dirtyPages(slot));
            return;
        }
        try {
            if (!slots.verify(slot, valid)) {
                health.cleanPagesDiffer(slot);
                map.drop(file.number(), block, slot);
                return;
            }
            writePages(slot, skipBytes, part, changed);
            int[] checksums = checksums(slot, skipBytes, part, changed, covered);
            map.change(file.number(), block, slot, valid | covered, changed, checksums);
            policy.touched(slot);
        } catch (IOException e) {
            health.slotFailed(slot, e);
            map.drop(file.number(), block, slot);
        }
    }

    private void writeNew(CachedFile file, int block, int skipBytes, ByteBuffer part) {
        int covered = geometry.pagesCovered(skipBytes, part.remaining());
        if (covered == 0) {
            return;
        }
        int slot = map.take();
        evictor.wakeIfLow();
        if (slot == BlockIndex.NONE) {
            counters.add(BypassReason.CONGESTED.counter(), 1);
            return;
        }
        try {
            writePages(slot, skipBytes, part, covered);
            int[] checksums = checksums(slot, skipBytes, part, covered, covered);
            slots.setVerified(slot);
            if (map.publish(file.number(), block, slot, covered, checksums)) {
                file.setAdmitted();
            } else {
                map.giveBack(slot);
            }
        } catch (IOException e) {
            health.slotFailed(slot, e);
            map.giveBack(slot);
        }
    }

    /** Covered pages are summed from the caller's bytes; the others are read back whole. */
    private int[] checksums(int slot, int skipBytes, ByteBuffer part, int pages, int covered)
            throws IOException {
        int[] sums = new int[geometry.pagesPerBlock()];
        for (int page = 0; page < sums.length; page++) {
            if ((covered & 1 << page) != 0) {
                int start = part.position() + page * BlockGeometry.PAGE_BYTES - skipBytes;
                sums[page] = BlockStore.pageChecksum(part.slice(start, BlockGeometry.PAGE_BYTES));
            } else if ((pages & 1 << page) != 0) {
                sums[page] = BlockStore.pageChecksum(slots.readPage(slot, page));
            }
        }
        return sums;
    }

    /** Writes the bytes of the part that fall into the given, contiguous pages. */
    private void writePages(int slot, int skipBytes, ByteBuffer part, int pages)
            throws IOException {
        int pagesStart = Integer.numberOfTrailingZeros(pages) * BlockGeometry.PAGE_BYTES;
        int pagesEnd =
                (Integer.SIZE - Integer.numberOfLeadingZeros(pages)) * BlockGeometry.PAGE_BYTES;
        int start = Math.max(skipBytes, pagesStart);
        int end = Math.min(skipBytes + part.remaining(), pagesEnd);
        slots.write(slot, start, part.slice(part.position() + start - skipBytes, end - start));
    }
}
