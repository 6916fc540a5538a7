package org.ssdcache.cache;

import java.util.function.IntPredicate;

/**
 * CLOCK with a two-bit counter: a hit raises it, the hand lowers it, and a slot that the hand finds
 * at zero goes. A block enters at zero, so one that is never read again leaves after one round; a
 * scan does not push out what is read often. One byte a slot.
 */
final class ClockEviction implements EvictionPolicy {
    private static final int MAX_USES = 3;

    private final IntPredicate mapped;

    /** Racing increments may lose one, which costs a block a round of the hand, never data. */
    private final byte[] uses;

    private int hand;

    /**
     * @param mapped whether a slot holds a block
     */
    ClockEviction(int slotCount, IntPredicate mapped) {
        this.uses = new byte[slotCount];
        this.mapped = mapped;
    }

    @Override
    public void inserted(int slot) {
        uses[slot] = 0;
    }

    @Override
    public void touched(int slot) {
        byte now = uses[slot];
        if (now < MAX_USES) {
            uses[slot] = (byte) (now + 1);
        }
    }

    @Override
    public int victim() {
        long steps = (MAX_USES + 1L) * uses.length;
        for (long step = 0; step < steps; step++) {
            int slot = hand;
            hand = slot + 1 == uses.length ? 0 : slot + 1;
            if (!mapped.test(slot)) {
                continue;
            }
            if (uses[slot] == 0) {
                return slot;
            }
            uses[slot]--;
        }
        return NONE;
    }
}
