package org.ssdcache.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class SlabTest {
    private final Slab<String> slab = new Slab<>(1);

    @Test
    void numbersStartWhereTheyShouldAndFindTheirObject() {
        assertEquals(1, slab.add("a"));
        assertEquals(2, slab.add("b"));
        assertEquals("a", slab.get(1));
        assertEquals("b", slab.get(2));
    }

    @Test
    void unknownNumbersFindNothing() {
        assertNull(slab.get(0));
        assertNull(slab.get(-1));
        assertNull(slab.get(Long.MAX_VALUE));
        assertNull(slab.remove(3));
    }

    @Test
    void removedNumbersAreUsedAgainOnce() {
        for (int i = 0; i < 1000; i++) {
            slab.add("object " + i);
        }
        for (int number = 1; number <= 1000; number++) {
            assertEquals("object " + (number - 1), slab.remove(number));
            assertNull(slab.remove(number));
        }
        for (int i = 0; i < 1000; i++) {
            slab.add("again");
        }
        assertEquals(1001, slab.highestUsed());
    }
}
