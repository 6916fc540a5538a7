package org.ssdcache.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.MappingSink;

class MapDbIndexTest {
    private static final long STORE = 0x5555_4444_3333_2222L;
    private static final int SLOTS = 2000;

    @TempDir Path directory;

    private Path file;
    private final BlockIndex index = new BlockIndex(SLOTS, new BlockGeometry(16 << 10));
    private final FileTable files = new FileTable(SLOTS);

    /** What a sink was given. */
    private static final class Loaded implements MappingSink {
        final Map<Integer, FileId> files = new TreeMap<>();
        final Map<Integer, String> slots = new TreeMap<>();

        @Override
        public void file(int number, FileId id, FileFacts facts) {
            files.put(number, id);
        }

        @Override
        public void slot(int slot, int number, int block, int validPages, int dirtyPages) {
            slots.put(slot, number + ":" + block + " " + validPages + " " + dirtyPages);
        }
    }

    @BeforeEach
    void fillTheIndex() {
        file = directory.resolve("index.db");
        Random random = new Random(1);
        for (int number = 0; number < 3; number++) {
            assertEquals(number, files.add(new FileId(0, number, 1), new FileFacts(1, 2, 3)));
        }
        for (int i = 0; i < SLOTS / 2; i++) {
            int slot = index.takeFree();
            int block = random.nextInt(1 << 20);
            if (!index.insert(i % 3, block, slot, 1 + random.nextInt(15), 0)) {
                index.release(slot);
            }
        }
    }

    private Loaded expected() {
        Loaded expected = new Loaded();
        for (int number : files.liveNumbers()) {
            expected.files.put(number, files.idOf(number));
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            if (index.isMapped(slot)) {
                expected.slot(
                        slot, index.fileOf(slot), index.blockOf(slot), index.validPages(slot), 0);
            }
        }
        return expected;
    }

    private MapDbIndex open() {
        return MapDbIndex.open(file, STORE);
    }

    private void putAll(MapDbIndex image) {
        image.begin();
        for (int number : files.liveNumbers()) {
            image.putFile(number, files.idOf(number), files.factsOf(number));
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            if (index.isMapped(slot)) {
                image.putChunk(
                        index.fileOf(slot), index.blockOf(slot) / MapDbIndex.CHUNK_BLOCKS, index);
            }
        }
    }

    @Test
    void blocksOfANumberWithoutFileAreNotBelieved() {
        try (MapDbIndex image = open()) {
            putAll(image);
            image.removeFile(1);
            image.commit(5, true);
        }
        Loaded loaded = new Loaded();
        try (MapDbIndex image = open()) {
            assertFalse(image.load(5, loaded));
        }
        assertTrue(loaded.slots.isEmpty());
    }

    private void writeImage(long sequence) {
        try (MapDbIndex image = open()) {
            putAll(image);
            image.commit(sequence, true);
        }
    }

    private void assertLoads(long sequence) {
        Loaded loaded = new Loaded();
        try (MapDbIndex image = open()) {
            assertTrue(image.load(sequence, loaded));
        }
        assertEquals(expected().slots, loaded.slots);
        assertEquals(expected().files, loaded.files);
    }

    private void assertFallsBack(long sequence, String why) {
        Loaded loaded = new Loaded();
        try (MapDbIndex image = open()) {
            assertFalse(image.load(sequence, loaded), why);
            assertEquals(Map.of(), loaded.slots, why);
            assertEquals(Map.of(), loaded.files, why);
        }
    }

    @Test
    void aFinishedImageIsLoadedAgainAndAgain() {
        writeImage(10);
        assertLoads(10);
        assertLoads(10);
    }

    @Test
    void aLoadedImageIsChangedWhereItChanged() {
        writeImage(10);
        try (MapDbIndex image = open()) {
            assertTrue(image.load(10, new Loaded()));
            image.begin();
            int slot = 0;
            while (!index.isMapped(slot) || index.fileOf(slot) != 2) {
                slot++;
            }
            int chunk = index.blockOf(slot) / MapDbIndex.CHUNK_BLOCKS;
            assertTrue(index.remove(2, index.blockOf(slot), slot));
            assertTrue(index.insert(0, 5, slot, 3, 0));
            image.putChunk(2, chunk, index);
            image.putChunk(0, 0, index);
            files.kill(1);
            image.removeFile(1);
            for (int s = 0; s < SLOTS; s++) {
                if (index.isMapped(s) && index.fileOf(s) == 1) {
                    int block = index.blockOf(s);
                    assertTrue(index.remove(1, block, s));
                    image.putChunk(1, block / MapDbIndex.CHUNK_BLOCKS, index);
                }
            }
            image.commit(11, false);
            image.begin();
            image.commit(12, true);
        }
        assertLoads(12);
    }

    @Test
    void anImageOfAnotherStoreOrTimeIsNotLoaded() {
        writeImage(10);
        assertFallsBack(11, "another sequence");
        writeImage(10);
        try (MapDbIndex image = MapDbIndex.open(file, STORE + 1)) {
            assertFalse(image.load(10, new Loaded()));
        }
    }

    @Test
    void anUnfinishedImageIsNotLoaded() {
        try (MapDbIndex image = open()) {
            putAll(image);
            image.commit(10, false);
        }
        assertFallsBack(10, "never finished");
        writeImage(11);
        try (MapDbIndex image = open()) {
            assertTrue(image.load(11, new Loaded()));
            image.begin();
        }
        assertFallsBack(11, "begun again");
        writeImage(12);
        assertLoads(12);
    }

    @Test
    void aDeletedImageOrSealFallsBack() throws IOException {
        writeImage(10);
        Files.delete(file);
        assertFallsBack(10, "the image is gone");
        writeImage(10);
        Files.delete(directory.resolve("index.db.seal"));
        assertFallsBack(10, "the seal is gone");
        writeImage(10);
        assertLoads(10);
    }

    @Test
    void aTruncatedImageFallsBack() throws IOException {
        writeImage(10);
        long size = Files.size(file);
        for (long to : new long[] {0, 1, 4096, size / 2, size - 1}) {
            writeImage(10);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(to);
            }
            assertFallsBack(10, "cut to " + to);
        }
    }

    @Test
    void aScribbledImageFallsBack() throws IOException {
        writeImage(10);
        Path good = directory.resolve("good.db");
        Path goodSeal = directory.resolve("good.seal");
        Path seal = directory.resolve("index.db.seal");
        Files.copy(file, good);
        Files.copy(seal, goodSeal);
        for (long seed = 0; seed < 40; seed++) {
            Files.copy(good, file, StandardCopyOption.REPLACE_EXISTING);
            Files.copy(goodSeal, seal, StandardCopyOption.REPLACE_EXISTING);
            scribble(seed % 8 == 7 ? seal : file, new Random(seed));
            assertFallsBack(10, "seed " + seed);
        }
        Files.copy(good, file, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(goodSeal, seal, StandardCopyOption.REPLACE_EXISTING);
        assertLoads(10);
    }

    /** Changes a few bytes somewhere, each to another value than it had. */
    private static void scribble(Path victim, Random random) throws IOException {
        byte[] bytes = Files.readAllBytes(victim);
        int from = random.nextInt(bytes.length);
        int to = Math.min(bytes.length, from + 1 + random.nextInt(64));
        for (int i = from; i < to; i++) {
            bytes[i] += (byte) (1 + random.nextInt(255));
        }
        try (FileChannel channel = FileChannel.open(victim, StandardOpenOption.WRITE)) {
            int unused = channel.write(ByteBuffer.wrap(bytes, from, to - from), from);
        }
    }

    @Test
    void anOlderCopyFallsBack() throws IOException {
        writeImage(10);
        Path older = directory.resolve("older.db");
        Files.copy(file, older);
        try (MapDbIndex image = open()) {
            assertTrue(image.load(10, new Loaded()));
            image.begin();
            files.kill(1);
            image.removeFile(1);
            image.commit(11, true);
        }
        Files.copy(older, file, StandardCopyOption.REPLACE_EXISTING);
        assertFallsBack(11, "an older image under the newer seal");
    }

    @Test
    void anImageThatCannotBeWrittenIsGivenUpQuietly() throws IOException {
        Path blocked = directory.resolve("blocked");
        Files.createDirectory(blocked);
        Files.createFile(blocked.resolve("occupied"));
        try (MapDbIndex image = MapDbIndex.open(blocked, STORE)) {
            assertFalse(image.load(1, new Loaded()));
            image.begin();
            image.putFile(1, new FileId(0, 1, 1), new FileFacts(1, 2, 3));
            image.putChunk(1, 0, index);
            image.commit(1, true);
        }
        assertTrue(Files.exists(blocked.resolve("occupied")));
    }

    @Test
    void changesBeforeBeginAreABug() {
        try (MapDbIndex image = open()) {
            assertThrows(IllegalStateException.class, () -> image.removeFile(1));
            assertThrows(IllegalStateException.class, () -> image.commit(1, true));
        }
    }
}
