package org.ssdcache.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.BlockFileContract;
import org.ssdcache.io.ErrnoException;

class FaultyBlockFileTest extends BlockFileContract {
    private static final int EIO = 5;

    /** What became of a write of ones over zeros. */
    private enum Fate {
        KEPT,
        DROPPED,
        TORN
    }

    @Override
    protected BlockFile create() {
        return new FaultyBlockFile(new MemoryBlockFile(), 1);
    }

    private static ByteBuffer ones(int length) {
        ByteBuffer ones = ByteBuffer.allocateDirect(length);
        while (ones.hasRemaining()) {
            ones.put((byte) 1);
        }
        return ones.flip();
    }

    private static Fate fate(BlockFile file, long offsetBytes) throws IOException {
        ByteBuffer found = ByteBuffer.allocateDirect(4096);
        int unused = file.read(found, offsetBytes);
        int ones = 0;
        for (int sector = 0; sector < 8; sector++) {
            byte first = found.get(sector * 512);
            for (int i = 0; i < 512; i++) {
                assertEquals(first, found.get(sector * 512 + i), "sectors are whole");
            }
            ones += first;
        }
        return ones == 8 ? Fate.KEPT : ones == 0 ? Fate.DROPPED : Fate.TORN;
    }

    @Test
    void aModificationTimeIsDurableWithTheNextSync() throws IOException {
        boolean lost = false;
        boolean kept = false;
        FaultyBlockFile disk = new FaultyBlockFile(new MemoryBlockFile(), 1);
        disk.setModified(7);
        assertEquals(7, disk.kill().modifiedNanos());
        for (int i = 0; i < 50; i++) {
            long found = disk.crash().modifiedNanos();
            lost |= found == 0;
            kept |= found == 7;
        }
        assertTrue(lost && kept);
        disk.sync();
        assertEquals(7, disk.crash().modifiedNanos());
    }

    @Test
    void aCrashKeepsDropsAndTearsWhatWasNotSynced() throws IOException {
        Set<Fate> seen = EnumSet.noneOf(Fate.class);
        for (long seed = 0; seed < 30; seed++) {
            FaultyBlockFile file = new FaultyBlockFile(new MemoryBlockFile(8192), seed);
            file.write(ones(4096), 0);
            file.syncData();
            file.write(ones(4096), 4096);
            assertEquals(Fate.KEPT, fate(file.kill(), 4096));
            MemoryBlockFile left = file.crash();
            assertEquals(Fate.KEPT, fate(left, 0), "seed " + seed);
            seen.add(fate(left, 4096));
            assertEquals(8192, left.sizeBytes());
        }
        assertEquals(EnumSet.allOf(Fate.class), seen);
    }

    @Test
    void theSameSeedHasTheSameCrash() throws IOException {
        FaultyBlockFile one = new FaultyBlockFile(new MemoryBlockFile(8192), 77);
        FaultyBlockFile two = new FaultyBlockFile(new MemoryBlockFile(8192), 77);
        one.write(ones(4096), 0);
        two.write(ones(4096), 0);
        ByteBuffer first = ByteBuffer.allocateDirect(4096);
        ByteBuffer second = ByteBuffer.allocateDirect(4096);
        assertEquals(one.crash().read(first, 0), two.crash().read(second, 0));
        assertEquals(first.flip(), second.flip());
    }

    @Test
    void oneOperationFailsAndTheNextDoesNot() throws IOException {
        FaultyBlockFile file = new FaultyBlockFile(new MemoryBlockFile(), 1);
        file.write(ones(10), 0);
        file.failOperation(2, 28);
        ErrnoException e = assertThrows(ErrnoException.class, () -> file.write(ones(10), 0));
        assertEquals(28, e.errno());
        file.write(ones(10), 0);
        assertEquals(3, file.operations());
    }

    @Test
    void afterAFailedSyncALaterSyncSavesNothingOfWhatWasLost() throws IOException {
        Set<Fate> seen = EnumSet.noneOf(Fate.class);
        for (long seed = 0; seed < 20; seed++) {
            FaultyBlockFile file = new FaultyBlockFile(new MemoryBlockFile(4096), seed);
            file.write(ones(4096), 0);
            file.failNext(EIO);
            assertThrows(IOException.class, file::syncData);
            file.syncData();
            assertEquals(Fate.KEPT, fate(file, 0), "it is still read");
            seen.add(fate(file.crash(), 0));
            assertEquals(2, file.syncs());
        }
        assertTrue(seen.size() > 1, "lost with some seeds, saved with others");
    }

    @Test
    void nothingWorksWithoutPower() throws IOException {
        FaultyBlockFile file = new FaultyBlockFile(new MemoryBlockFile(), 1);
        file.cutPowerAt(2);
        file.write(ones(10), 0);
        assertTrue(!file.isPowerGone());
        assertThrows(IOException.class, file::sync);
        assertThrows(IOException.class, () -> file.write(ones(10), 0));
        assertTrue(file.isPowerGone());
    }
}
