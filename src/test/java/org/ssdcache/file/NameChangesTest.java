package org.ssdcache.file;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class NameChangesTest {
    private final NameChanges names = new NameChanges();

    private boolean areDurable() {
        return names.areDurable(names.count());
    }

    private void sync() {
        names.durable(names.count());
    }

    @Test
    void aFileThatIsNewToTheKernelMayBeNew() {
        assertFalse(areDurable());
        sync();
        assertTrue(areDurable());
    }

    @Test
    void aChangeDuringASyncWaitsForTheNext() {
        long begun = names.count();
        names.changed();
        names.durable(begun);
        assertFalse(areDurable());
        sync();
        assertTrue(areDurable());
    }

    @Test
    void aSyncThatEndsLateTakesNothingBack() {
        long slow = names.count();
        names.changed();
        sync();
        names.durable(slow);
        assertTrue(areDurable());
    }

    @Test
    void twoSyncsAtOnceBothReachTheBacking() {
        long one = names.count();
        long other = names.count();
        assertFalse(names.areDurable(one));
        assertFalse(names.areDurable(other));
        names.durable(one);
        assertTrue(names.areDurable(other));
    }
}
