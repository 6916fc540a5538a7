package org.ssdcache.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreGeometryTest {
    @ParameterizedTest
    @ValueSource(ints = {8, 16, 32, 64, 128})
    void everythingFitsAndOneMoreSlotWouldNot(int blockKib) {
        int blockBytes = blockKib << 10;
        for (long size : new long[] {2L << 20, 16L << 20, (1L << 30) + 12345, 7L << 40}) {
            StoreGeometry geometry = StoreGeometry.forSize(size, blockBytes);
            assertTrue(geometry.totalBytes() <= size);
            StoreGeometry more =
                    new StoreGeometry(
                            blockBytes, geometry.slotCount() + 1, geometry.journalBytes());
            assertTrue(more.totalBytes() > size);
            assertEquals(0, geometry.slotOffset(geometry.slotCount() - 1) % blockBytes);
            assertEquals(
                    geometry.pendingTableOffset(),
                    geometry.slotOffset(geometry.slotCount() - 1) + blockBytes);
            assertEquals(0, geometry.slotTableOffset() % 4096);
            assertTrue(geometry.slotsOffset() > geometry.slotTableOffset());
            assertTrue(
                    geometry.totalBytes()
                            >= geometry.pendingTableOffset() + 64L * geometry.slotCount());
        }
    }

    @Test
    void theTablesOfAMillionBlocksAreSmall() {
        StoreGeometry geometry = StoreGeometry.forSize(16L << 30, 16 << 10);
        assertTrue(geometry.slotsOffset() < geometry.totalBytes() / 100, geometry.toString());
    }

    @Test
    void sizesOutOfRangeAreRefusedWithAReason() {
        String tooMany =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> StoreGeometry.forSize(1L << 54, 8 << 10))
                        .getMessage();
        assertTrue(tooMany.contains("larger block size"), tooMany);
        assertThrows(IllegalArgumentException.class, () -> StoreGeometry.forSize(1 << 20, 8 << 10));
        assertThrows(
                IllegalArgumentException.class,
                () -> new StoreGeometry(8 << 10, Integer.MAX_VALUE, 1 << 20));
        assertThrows(IllegalArgumentException.class, () -> new StoreGeometry(8 << 10, 1, 4096));
        assertThrows(IllegalArgumentException.class, () -> new StoreGeometry(9 << 10, 1, 1 << 20));
        StoreGeometry geometry = new StoreGeometry(8 << 10, 10, 1 << 20);
        assertThrows(IllegalArgumentException.class, () -> geometry.slotOffset(10));
        assertThrows(IllegalArgumentException.class, () -> geometry.slotOffset(-1));
    }
}
