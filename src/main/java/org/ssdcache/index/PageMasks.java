package org.ssdcache.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which pages of a slot are valid and which of those are dirty: four bytes a slot for blocks of up
 * to sixteen pages, which is all that a million blocks can afford, eight for larger ones. Read
 * without a lock; the writer holds the block's lock.
 */
final class PageMasks {
    private static final VarHandle INT = MethodHandles.arrayElementVarHandle(int[].class);
    private static final int HALF = Integer.SIZE / 2;
    private static final int LOWER = (1 << HALF) - 1;

    /** Valid pages; in the upper half the dirty ones if they fit there. */
    private final int[] masks;

    /** The dirty pages of blocks with more pages than fit into half an int, else null. */
    private final int[] wideDirty;

    PageMasks(int slotCount, int pagesPerBlock) {
        masks = new int[slotCount];
        wideDirty = pagesPerBlock > HALF ? new int[slotCount] : null;
    }

    int valid(int slot) {
        int mask = (int) INT.getAcquire(masks, slot);
        return wideDirty == null ? mask & LOWER : mask;
    }

    int dirty(int slot) {
        return wideDirty == null
                ? (int) INT.getAcquire(masks, slot) >>> HALF
                : (int) INT.getAcquire(wideDirty, slot);
    }

    void set(int slot, int valid, int dirty) {
        if (wideDirty == null) {
            INT.setRelease(masks, slot, dirty << HALF | valid);
        } else {
            INT.setRelease(wideDirty, slot, dirty);
            INT.setRelease(masks, slot, valid);
        }
    }
}
