package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.io.ErrnoException;

/**
 * Decides, after a crash, which changes of slots count whose data may not have reached the disk:
 * the data itself is asked. It is all there, or nobody was told that it was durable.
 *
 * <p>A dirty page that is not what its record says voids all that unproven records made of the
 * slot: a block that was moved there is still in the slot it came from, one that was clean there is
 * not cached any more, and the backing has it as it was before. A clean page that is not right is
 * only given up. A slot that the disk cannot read is believed: whoever reads it is told, instead of
 * being shown something older.
 */
final class UnprovenSlots {
    private static final Logger LOG = LoggerFactory.getLogger(UnprovenSlots.class);

    private final StoreDisk disk;
    private final StoreGeometry geometry;
    private final SlotChanges changes;
    private final boolean kernelLives;
    private final ByteBuffer block;

    UnprovenSlots(
            StoreDisk disk, StoreGeometry geometry, SlotChanges changes, boolean kernelLives) {
        this.disk = disk;
        this.geometry = geometry;
        this.changes = changes;
        this.kernelLives = kernelLives;
        this.block = Buffers.direct(geometry.blockBytes());
    }

    /** Afterwards every slot has the state that counts. */
    void settle() throws IOException {
        List<Integer> newest = new ArrayList<>();
        for (int place : changes.placesBySlot()) {
            if (!changes.isMovedAway(place)) {
                newest.add(place);
            }
        }
        for (int place : newest) {
            settle(place);
        }
    }

    /** Goes back through the slots that a block was moved from, to the newest that is right. */
    private void settle(int newest) throws IOException {
        int givenUp = 0;
        for (int place = newest; place != SlotChanges.NONE; ) {
            changes.giveUpPages(place, givenUp);
            int wrong = wrongPages(place);
            if ((wrong & changes.dirtyPages(place)) == 0) {
                changes.giveUpPages(place, wrong);
                changes.freeOrigins(place);
                return;
            }
            givenUp |= changes.pagesCleanedSinceMove(place);
            int origin = changes.origin(place);
            changes.undo(place);
            place = origin;
        }
    }

    private int wrongPages(int place) throws IOException {
        int unproven = changes.unprovenPages(place) & changes.validPages(place);
        if (unproven == 0) {
            return 0;
        }
        if (changes.dirtyPages(place) == 0 && !kernelLives) {
            // Reading so many clean slots would take longer than filling them again.
            return unproven;
        }
        int first = Integer.numberOfTrailingZeros(unproven);
        int end = Integer.SIZE - Integer.numberOfLeadingZeros(unproven);
        block.clear().limit(end * BlockGeometry.PAGE_BYTES);
        block.position(first * BlockGeometry.PAGE_BYTES);
        int slot = changes.slot(place);
        try {
            disk.read(block, geometry.slotOffset(slot) + (long) first * BlockGeometry.PAGE_BYTES);
        } catch (ErrnoException e) {
            LOG.warn("Slot {} cannot be read, and may have lost a write: {}", slot, e.getMessage());
            return 0;
        }
        int wrong = 0;
        for (int rest = unproven; rest != 0; rest &= rest - 1) {
            int page = Integer.numberOfTrailingZeros(rest);
            block.position(page * BlockGeometry.PAGE_BYTES);
            if (BlockStore.pageChecksum(block) != changes.checksum(place, page)) {
                wrong |= 1 << page;
            }
        }
        return wrong;
    }
}
