package org.ssdcache.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.MappingSink;
import org.ssdcache.store.BlockStore;
import org.ssdcache.store.StoreGeometry;
import org.ssdcache.store.StoreIdentity;
import org.ssdcache.testing.MemoryBlockFile;

/**
 * A cache of a million blocks, loaded from the store and from the image; prints how long it took.
 */
class MillionBlocksTest {
    private static final int SLOTS = 1 << 20;
    private static final int FILES = 64;
    private static final int BLOCK_BYTES = 16 << 10;
    private static final int ALL = 0b1111;
    private static final StoreIdentity ID = new StoreIdentity(1, 2);

    @TempDir Path directory;

    /** Index and file numbers as the cache fills them. */
    private static final class Sink implements MappingSink {
        final BlockIndex index = new BlockIndex(SLOTS, new BlockGeometry(BLOCK_BYTES));
        final FileTable files = new FileTable(SLOTS);

        @Override
        public void file(int file, FileId id, FileFacts facts) {
            assertTrue(files.restore(file, id, facts));
        }

        @Override
        public void slot(int slot, int file, int block, int validPages, int dirtyPages) {
            assertTrue(index.restore(file, block, slot, validPages, 0));
        }

        void check() {
            assertEquals(SLOTS, index.mappedCount());
            assertEquals(FILES, files.liveCount());
            for (int slot = 0; slot < SLOTS; slot++) {
                assertEquals(slot, index.lookup(fileOf(slot), blockOf(slot)));
            }
        }
    }

    /** Neighbours in a file are not neighbours in the cache. */
    private static int fileOf(int slot) {
        return slot % FILES;
    }

    private static int blockOf(int slot) {
        return (slot / FILES) * 2;
    }

    @Test
    void loadFromTheStoreAndFromTheImage() throws IOException {
        MemoryBlockFile file = new MemoryBlockFile();
        StoreGeometry geometry =
                new StoreGeometry(BLOCK_BYTES, SLOTS, StoreGeometry.MAX_JOURNAL_BYTES);
        BlockStore.format(file, geometry, ID, progress -> {});
        fill(BlockStore.open(file, "boot"));
        MemoryBlockFile closed = file.copy();

        long start = System.nanoTime();
        Sink fromStore = new Sink();
        long sequence;
        try (BlockStore store = BlockStore.open(closed, "boot")) {
            sequence = store.checkpointSequence();
            store.load(fromStore);
        }
        print("load from the store", start);
        fromStore.check();
        lookUpAll(fromStore.index);

        Path image = directory.resolve("index.db");
        start = System.nanoTime();
        write(image, fromStore, sequence);
        print("write the image", start);

        start = System.nanoTime();
        Sink fromImage = new Sink();
        try (MapDbIndex mapDb = MapDbIndex.open(image, ID.storeId())) {
            assertTrue(mapDb.load(sequence, fromImage));
        }
        print("load from the image", start);
        fromImage.check();
    }

    private static void fill(BlockStore store) throws IOException {
        long start = System.nanoTime();
        for (int number = 0; number < FILES; number++) {
            store.fileDefined(number, new FileId(0, number, 1), new FileFacts(1, 2, 3));
        }
        int[] checksums = {1, 2, 3, 4};
        for (int slot = 0; slot < SLOTS; slot++) {
            store.slotMapped(slot, fileOf(slot), blockOf(slot), ALL, 0, ALL, checksums);
            if (slot % 1000 == 0 && store.journalFill() > 0.7) {
                store.checkpoint(store.cutJournal());
            }
        }
        store.closeClean();
        print("record a million blocks", start);
    }

    private static void write(Path image, Sink source, long sequence) {
        try (MapDbIndex mapDb = MapDbIndex.open(image, ID.storeId())) {
            mapDb.begin();
            for (int number = 0; number < FILES; number++) {
                mapDb.putFile(number, source.files.idOf(number), source.files.factsOf(number));
                int chunks = blockOf(SLOTS) / MapDbIndex.CHUNK_BLOCKS;
                for (int chunk = 0; chunk <= chunks; chunk++) {
                    mapDb.putChunk(number, chunk, source.index);
                }
            }
            mapDb.commit(sequence, true);
        }
    }

    private static void lookUpAll(BlockIndex index) {
        long start = System.nanoTime();
        int found = 0;
        for (int i = 0; i < SLOTS; i++) {
            int slot = (i * 0x9E3779B1) >>> 12;
            found += index.lookup(fileOf(slot), blockOf(slot)) == slot ? 1 : 0;
        }
        assertEquals(SLOTS, found);
        long nanos = (System.nanoTime() - start) / SLOTS;
        System.out.println("million blocks: a random lookup takes " + nanos + " ns");
    }

    private static void print(String what, long startNanos) {
        long millis = (System.nanoTime() - startNanos) / 1_000_000;
        System.out.println("million blocks: " + what + " takes " + millis + " ms");
    }
}
