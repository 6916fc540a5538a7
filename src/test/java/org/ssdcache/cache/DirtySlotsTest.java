package org.ssdcache.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.ssdcache.testing.FakeClock;

class DirtySlotsTest {
    private final FakeClock clock = new FakeClock();
    private final DirtySlots dirty = new DirtySlots(100, clock);

    @Test
    void agesGoOnHoweverLongTheMountIsUp() {
        clock.advanceNanos(TimeUnit.DAYS.toNanos(400));
        dirty.add(1, 5);
        clock.advanceNanos(TimeUnit.SECONDS.toNanos(30));
        dirty.add(1, 70);
        assertEquals(TimeUnit.SECONDS.toNanos(30), dirty.ageNanos(5));
        assertEquals(0, dirty.ageNanos(70));
        assertEquals(TimeUnit.SECONDS.toNanos(30), dirty.oldestAgeNanos());
        clock.advanceNanos(TimeUnit.HOURS.toNanos(20));
        assertEquals(TimeUnit.HOURS.toNanos(20), dirty.ageNanos(70));
    }

    @Test
    void aBlockThatMovesIsAsOldAsBefore() {
        dirty.add(1, 5);
        clock.advanceNanos(TimeUnit.SECONDS.toNanos(10));
        dirty.move(1, 5, 6);
        assertFalse(dirty.isDirty(5));
        assertEquals(TimeUnit.SECONDS.toNanos(10), dirty.ageNanos(6));
        dirty.renew(6);
        assertEquals(0, dirty.ageNanos(6));
        assertEquals(1, dirty.countOf(1));
    }
}
