package org.ssdcache.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;

class FileTableTest {
    private static FileId id(long inode) {
        return new FileId(inode % 3, inode, inode * 11);
    }

    private static FileFacts facts(long size) {
        return new FileFacts(size, size + 1, size + 2);
    }

    @Test
    void aNumberIsFoundUntilItIsKilledAndGivenAgainOnceReleased() {
        FileTable table = new FileTable(2);
        int one = table.add(id(1), facts(10));
        int two = table.add(id(2), facts(20));
        assertEquals(FileTable.NONE, table.add(id(3), facts(30)));
        assertEquals(one, table.find(id(1)));
        assertEquals(id(2), table.idOf(two));
        assertEquals(facts(20), table.factsOf(two));
        table.setFacts(two, facts(21));
        assertEquals(facts(21), table.factsOf(two));
        assertThrows(IllegalStateException.class, () -> table.add(id(1), facts(1)));

        table.kill(one);
        assertEquals(FileTable.NONE, table.find(id(1)));
        assertFalse(table.isLive(one));
        assertEquals(1, table.liveCount());
        assertArrayEquals(new int[] {one}, table.deadNumbers());
        assertEquals(id(1), table.idOf(one), "a dead number is still somebody's");
        assertEquals(FileTable.NONE, table.add(id(3), facts(30)));
        assertThrows(IllegalStateException.class, () -> table.kill(one));

        table.release(one);
        assertThrows(IllegalArgumentException.class, () -> table.idOf(one));
        assertEquals(one, table.add(id(3), facts(30)));
        assertThrows(IllegalStateException.class, () -> table.release(one));
    }

    @Test
    void restoredNumbersLeaveTheOthersFree() {
        FileTable table = new FileTable(1000);
        assertTrue(table.restore(3, id(3), facts(1)));
        assertTrue(table.restore(700, id(700), facts(1)));
        assertFalse(table.restore(3, id(4), facts(1)));
        assertFalse(table.restore(5, id(700), facts(1)));
        assertThrows(IllegalArgumentException.class, () -> table.restore(1000, id(9), facts(1)));
        assertEquals(0, table.add(id(10), facts(1)));
        assertEquals(1, table.add(id(11), facts(1)));
        assertEquals(2, table.add(id(12), facts(1)));
        assertEquals(4, table.add(id(13), facts(1)));
        assertArrayEquals(new int[] {0, 1, 2, 3, 4, 700}, table.liveNumbers());
    }

    @Test
    void randomChangesAgreeWithAMap() {
        long seed = 7;
        Random random = new Random(seed);
        FileTable table = new FileTable(5000);
        Map<FileId, Integer> model = new HashMap<>();
        for (int i = 0; i < 30_000; i++) {
            FileId id = id(random.nextInt(4000));
            assertEquals(model.getOrDefault(id, FileTable.NONE), table.find(id), "seed " + seed);
            if (model.containsKey(id) && random.nextBoolean()) {
                int file = model.remove(id);
                table.kill(file);
                table.release(file);
            } else if (!model.containsKey(id)) {
                model.put(id, table.add(id, facts(i)));
            }
        }
        assertEquals(model.size(), table.liveCount());
    }
}
