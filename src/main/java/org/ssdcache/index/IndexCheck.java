package org.ssdcache.index;

import java.util.BitSet;

/** The invariants of {@link BlockIndex}, checked while nobody changes it. */
final class IndexCheck {
    private IndexCheck() {}

    static void check(BlockIndex index) {
        BitSet seen = new BitSet(index.slotCount());
        int chained = 0;
        for (int bucket = 0; bucket < index.slotCount(); bucket++) {
            for (int s = index.chainHead(bucket); s != BlockIndex.NONE; s = index.nextOf(s)) {
                require(index.isMapped(s), s, "is in a chain and not mapped");
                require(index.bucketOf(s) == bucket, s, "is in another bucket's chain");
                require(!seen.get(s), s, "is in a chain twice");
                int first = index.lookupLocked(index.fileOf(s), index.blockOf(s));
                require(first == s, s, "holds a block that slot " + first + " holds too");
                seen.set(s);
                chained++;
            }
        }
        require(chained == index.mappedCount(), chained, "chained, mapped " + index.mappedCount());
        int listed = 0;
        for (int s = index.freeListHead(); s != BlockIndex.NONE; s = index.nextOf(s)) {
            require(index.isFree(s), s, "is in the free list and not free");
            require(!seen.get(s), s, "is in the free list twice or mapped too");
            seen.set(s);
            listed++;
        }
        require(listed == index.freeCount(), listed, "in the free list of " + index.freeCount());
    }

    private static void require(boolean holds, int slot, String what) {
        if (!holds) {
            throw new IllegalStateException("slot " + slot + " " + what);
        }
    }
}
