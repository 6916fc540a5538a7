package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

final class ClockEvictionTest {
    @Test
    void untouchedSlotsGoInOrder() {
        ClockEviction policy = new ClockEviction(4, slot -> true);
        assertEquals(0, policy.victim());
        assertEquals(1, policy.victim());
    }

    @Test
    void aTouchedSlotOutlivesAnUntouchedOne() {
        ClockEviction policy = new ClockEviction(3, slot -> true);
        policy.touched(0);
        assertEquals(1, policy.victim());
        assertEquals(2, policy.victim());
        assertEquals(0, policy.victim());
    }

    @Test
    void aScanDoesNotPushOutWhatIsUsed() {
        ClockEviction policy = new ClockEviction(100, slot -> true);
        for (int slot = 0; slot < 50; slot++) {
            policy.touched(slot);
            policy.touched(slot);
        }
        for (int scanned = 0; scanned < 100; scanned++) {
            int victim = policy.victim();
            assertNotEquals(true, victim < 50, "slot " + victim);
            policy.inserted(victim);
        }
    }

    @Test
    void anEmptyCacheHasNoVictim() {
        assertEquals(EvictionPolicy.NONE, new ClockEviction(8, slot -> false).victim());
    }
}
