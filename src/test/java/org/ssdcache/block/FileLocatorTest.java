package org.ssdcache.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class FileLocatorTest {
    @Test
    void locatorsAreComparedByTheirBytes() {
        FileLocator one = new FileLocator(1, new byte[] {1, 2, 3});
        FileLocator same = new FileLocator(1, new byte[] {1, 2, 3});
        assertEquals(one, same);
        assertEquals(one.hashCode(), same.hashCode());
        assertNotEquals(one, new FileLocator(2, new byte[] {1, 2, 3}));
        assertNotEquals(one, new FileLocator(1, new byte[] {1, 2, 4}));
        assertFalse(one.isNone());
        assertTrue(FileLocator.NONE.isNone());
        assertEquals("1:010203", one.toString());
    }

    @Test
    void aHandleHasItsLimit() {
        byte[] longest = new byte[FileLocator.MAX_BYTES];
        assertEquals(longest.length, new FileLocator(1, longest).handle().length);
        byte[] tooLong = new byte[FileLocator.MAX_BYTES + 1];
        assertThrows(IllegalArgumentException.class, () -> new FileLocator(1, tooLong));
    }
}
