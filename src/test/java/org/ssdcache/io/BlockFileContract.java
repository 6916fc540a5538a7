package org.ssdcache.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What every {@link BlockFile} does; a subclass brings an empty file. */
public abstract class BlockFileContract {
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    private static final int ZERO_RANGE = 16;

    /** A new, empty, writable file; closed by the test. */
    protected abstract BlockFile create() throws IOException;

    private static ByteBuffer bytes(int length, int seed) {
        byte[] random = new byte[length];
        new Random(seed).nextBytes(random);
        return ByteBuffer.allocateDirect(length).put(random).flip();
    }

    private static ByteBuffer read(BlockFile file, long offsetBytes, int length)
            throws IOException {
        ByteBuffer target = ByteBuffer.allocateDirect(length);
        int got = file.read(target, offsetBytes);
        assertEquals(got, target.position(), "the position moves by what was read");
        return target.flip();
    }

    @Test
    void aNewFileIsEmpty() throws IOException {
        try (BlockFile file = create()) {
            assertEquals(0, file.sizeBytes());
            assertEquals(0, read(file, 0, 10).remaining());
            assertEquals(0, read(file, 1L << 33, 10).remaining());
        }
    }

    @Test
    void whatIsWrittenIsReadAtOnce() throws IOException {
        try (BlockFile file = create()) {
            ByteBuffer written = bytes(100_000, 1);
            file.write(written, 12_345);
            assertEquals(0, written.remaining());
            assertEquals(112_345, file.sizeBytes());
            assertEquals(written.flip(), read(file, 12_345, 100_000));
            assertEquals(written.slice(50_000, 10), read(file, 62_345, 10));
            assertEquals(ByteBuffer.allocate(12_345), read(file, 0, 12_345));
        }
    }

    @Test
    void onlyWhatIsBetweenPositionAndLimitMoves() throws IOException {
        try (BlockFile file = create()) {
            ByteBuffer written = bytes(1000, 2);
            file.write(written.position(100).limit(300), 0);
            assertEquals(300, written.position());
            assertEquals(200, file.sizeBytes());
            ByteBuffer target = ByteBuffer.allocateDirect(500).position(50).limit(150);
            assertEquals(100, file.read(target, 20));
            assertEquals(150, target.position());
            assertEquals(written.clear().slice(120, 100), target.flip().position(50));
        }
    }

    @Test
    void aReadEndsWithTheFile() throws IOException {
        try (BlockFile file = create()) {
            file.write(bytes(1000, 3), 0);
            assertEquals(bytes(1000, 3).position(900), read(file, 900, 500));
            assertEquals(0, read(file, 1000, 1).remaining());
        }
    }

    @Test
    void laterWritesWin() throws IOException {
        try (BlockFile file = create()) {
            file.write(bytes(5000, 4), 0);
            file.write(bytes(100, 5), 4050);
            file.syncData();
            file.write(bytes(100, 6), 4100);
            file.sync();
            assertEquals(bytes(5000, 4).limit(4050), read(file, 0, 4050));
            assertEquals(bytes(100, 5).limit(50), read(file, 4050, 50));
            assertEquals(bytes(100, 6), read(file, 4100, 100));
            assertEquals(bytes(5000, 4).position(4200), read(file, 4200, 800));
        }
    }

    @Test
    void truncateCutsAndGrowsWithZeros() throws IOException {
        try (BlockFile file = create()) {
            file.write(bytes(1000, 7), 0);
            file.truncate(400);
            assertEquals(400, file.sizeBytes());
            file.truncate(900);
            assertEquals(900, file.sizeBytes());
            assertEquals(bytes(1000, 7).limit(400), read(file, 0, 400));
            assertEquals(ByteBuffer.allocate(500), read(file, 400, 500));
        }
    }

    @Test
    void allocateGrowsUnlessItKeepsTheSize() throws IOException {
        try (BlockFile file = create()) {
            file.allocate(KEEP_SIZE, 0, 8192);
            assertEquals(0, file.sizeBytes());
            file.allocate(0, 4096, 8192);
            assertEquals(12_288, file.sizeBytes());
            assertEquals(ByteBuffer.allocate(12_288), read(file, 0, 12_288));
        }
    }

    @Test
    void holesAndZeroRangesReadAsZeros() throws IOException {
        try (BlockFile file = create()) {
            file.write(bytes(16_384, 8), 0);
            file.allocate(PUNCH_HOLE | KEEP_SIZE, 4096, 4096);
            file.allocate(ZERO_RANGE | KEEP_SIZE, 12_288, 8192);
            assertEquals(16_384, file.sizeBytes());
            assertEquals(bytes(16_384, 8).limit(4096), read(file, 0, 4096));
            assertEquals(ByteBuffer.allocate(4096), read(file, 4096, 4096));
            assertEquals(bytes(16_384, 8).position(8192).limit(12_288), read(file, 8192, 4096));
            assertEquals(ByteBuffer.allocate(4096), read(file, 12_288, 4096));
        }
    }

    @Test
    void holesHaveNoSpace() throws IOException {
        try (BlockFile file = create()) {
            assertEquals(0, file.allocatedBytes());
            file.write(bytes(64 << 10, 10), 0);
            file.sync();
            assertTrue(file.allocatedBytes() >= 64 << 10, file.allocatedBytes() + " bytes");
            file.truncate(1 << 20);
            assertTrue(file.allocatedBytes() < 1 << 20, file.allocatedBytes() + " bytes");
            file.allocate(0, 0, 1 << 20);
            assertTrue(file.allocatedBytes() >= 1 << 20, file.allocatedBytes() + " bytes");
            file.allocate(PUNCH_HOLE | KEEP_SIZE, 0, 64 << 10);
            assertTrue(file.allocatedBytes() < 1 << 20, file.allocatedBytes() + " bytes");
        }
    }

    @Test
    void forgettingPagesForgetsNoBytes() throws IOException {
        try (BlockFile file = create()) {
            file.write(bytes(8192, 9), 0);
            file.forgetPages(0, 8192);
            assertEquals(bytes(8192, 9), read(file, 0, 8192));
        }
    }

    @Test
    void writebackThatWasStartedChangesNoBytes() throws IOException {
        try (BlockFile file = create()) {
            file.write(bytes(8192, 9), 0);
            file.startWriteback(0, 8192);
            file.syncData();
            assertEquals(bytes(8192, 9), read(file, 0, 8192));
        }
    }

    @Test
    void nonsenseIsAnError() throws IOException {
        try (BlockFile file = create()) {
            assertThrows(IOException.class, () -> file.allocate(0, 0, 0));
            assertThrows(IOException.class, () -> file.allocate(PUNCH_HOLE, 0, 4096));
            assertThrows(IOException.class, () -> file.read(ByteBuffer.allocateDirect(1), -1));
            assertThrows(IOException.class, () -> file.write(bytes(1, 1), -1));
        }
    }

    @Test
    void manyThreadsMayUseIt() throws Exception {
        try (BlockFile file = create()) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int number = t;
                Thread thread =
                        new Thread(
                                () -> {
                                    try {
                                        for (int i = 0; i < 50; i++) {
                                            long at = (i * 4L + number) * 4096;
                                            file.write(bytes(4096, number * 100 + i), at);
                                            assertEquals(
                                                    bytes(4096, number * 100 + i),
                                                    read(file, at, 4096));
                                        }
                                    } catch (Throwable e) {
                                        failure.set(e);
                                    }
                                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(null, failure.get());
            assertEquals(200 * 4096, file.sizeBytes());
        }
    }
}
