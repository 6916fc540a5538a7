package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;

class DirtyInventoryTest {
    private static final FileFacts FACTS = new FileFacts(0, 0, 0);
    private static final FileId ONE = new FileId(0, 11, 1);
    private static final FileId TWO = new FileId(0, 12, 1);

    private final DirtyInventory inventory = new DirtyInventory(16384);

    private static DirtyInventory.Range range(long from, long to) {
        return new DirtyInventory.Range(from, to);
    }

    @Test
    void neighboursAreMergedWhateverTheirOrder() {
        inventory.file(1, ONE, FACTS);
        inventory.slot(7, 1, 1, 0xf, 0b0001);
        inventory.slot(3, 1, 0, 0xf, 0b1000);
        inventory.slot(5, 1, 9, 0xf, 0b1111);
        inventory.slot(6, 1, 5, 0xf, 0);
        assertEquals(
                Map.of(ONE, List.of(range(12288, 20480), range(147456, 163840))),
                inventory.ranges());
    }

    @Test
    void filesWithoutDirtyPagesAreLeftOut() {
        inventory.file(1, ONE, FACTS);
        inventory.file(2, TWO, FACTS);
        inventory.slot(3, 2, 0, 0b0011, 0b0010);
        inventory.slot(4, 1, 0, 0b0011, 0);
        inventory.slot(5, 9, 0, 0b0011, 0b0011);
        assertEquals(Map.of(TWO, List.of(range(4096, 8192))), inventory.ranges());
    }

    @Test
    void allPagesOfTheLargestBlocks() {
        DirtyInventory large = new DirtyInventory(128 << 10);
        large.file(1, ONE, FACTS);
        large.slot(0, 1, 1, -1, -1);
        assertEquals(Map.of(ONE, List.of(range(131072, 262144))), large.ranges());
    }

    @Test
    void aRangeReadsAsItsFirstAndLastByte() {
        assertEquals("4096-8191", range(4096, 8192).toString());
    }
}
