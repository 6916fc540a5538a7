package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.block.MappingSink;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.io.BlockFile;
import org.ssdcache.testing.MemoryBlockFile;

/** A small store and short words for what tests do with it. */
final class StoreFixture {
    static final StoreIdentity ID = new StoreIdentity(0x1122334455667788L, 42);
    static final String BOOT = "0b0b0b0b-0000-4000-8000-000000000001";
    static final String NEXT_BOOT = "0b0b0b0b-0000-4000-8000-000000000002";
    static final int BLOCK_BYTES = 16 << 10;
    static final int PAGES = BLOCK_BYTES / BlockGeometry.PAGE_BYTES;
    static final int ALL = (1 << PAGES) - 1;
    static final StoreGeometry GEOMETRY =
            new StoreGeometry(BLOCK_BYTES, 200, StoreGeometry.MIN_JOURNAL_BYTES);

    private StoreFixture() {}

    static MemoryBlockFile formatted() throws IOException {
        MemoryBlockFile file = new MemoryBlockFile();
        BlockStore.format(file, GEOMETRY, ID, progress -> {});
        return file;
    }

    static BlockStore open(BlockFile file, String bootId) throws IOException {
        return BlockStore.open(file, bootId);
    }

    static FileId id(long inode) {
        return new FileId(0, inode, 7 * inode);
    }

    static FileFacts facts(long size) {
        return new FileFacts(size, 2 * size, 3 * size);
    }

    static PendingAttributes pending(long size) {
        return new PendingAttributes(
                size, 2 * size, 3 * size, new FileLocator(1, new byte[] {(byte) size, 2, 3}));
    }

    /** Pages whose every byte tells which block of which file, and which version, they are of. */
    static ByteBuffer data(int file, int block, int version) {
        ByteBuffer data = ByteBuffer.allocateDirect(BLOCK_BYTES);
        while (data.hasRemaining()) {
            data.putInt(file).putInt(block).putInt(version).putInt(data.position());
        }
        return data.flip();
    }

    static int[] checksums(ByteBuffer data) {
        int[] checksums = new int[PAGES];
        for (int page = 0; page < PAGES; page++) {
            int at = page * BlockGeometry.PAGE_BYTES;
            checksums[page] = BlockStore.pageChecksum(data.slice(at, BlockGeometry.PAGE_BYTES));
        }
        return checksums;
    }

    /** Writes a whole block to a slot and says so. */
    static void put(BlockStore store, int slot, int file, int block, int version)
            throws IOException {
        put(store, slot, file, block, version, 0);
    }

    static void put(BlockStore store, int slot, int file, int block, int version, int dirty)
            throws IOException {
        ByteBuffer data = data(file, block, version);
        int[] checksums = checksums(data);
        store.writeSlot(slot, 0, data);
        store.slotMapped(slot, file, block, ALL, dirty, ALL, checksums);
    }

    /** Moves a block to another slot with new data in every page. */
    static void move(
            BlockStore store, int from, int to, int file, int block, int version, int dirty)
            throws IOException {
        ByteBuffer data = data(file, block, version);
        int[] checksums = checksums(data);
        store.writeSlot(to, 0, data);
        store.slotMoved(from, to, file, block, ALL, dirty, checksums);
    }

    /** What a store says it holds. */
    static final class Contents implements MappingSink {
        final Map<Integer, FileId> files = new TreeMap<>();
        final Map<Integer, FileFacts> facts = new TreeMap<>();

        /** By slot: file, block, valid pages, dirty pages. */
        final Map<Integer, String> slots = new TreeMap<>();

        final Map<Integer, int[]> mappings = new TreeMap<>();
        final Map<Integer, PendingAttributes> pending = new TreeMap<>();

        static Contents of(BlockStore store) throws IOException {
            Contents contents = new Contents();
            store.load(contents);
            return contents;
        }

        @Override
        public void file(int file, FileId id, FileFacts known) {
            files.put(file, id);
            facts.put(file, known);
        }

        @Override
        public void pending(int file, PendingAttributes attributes) {
            if (!files.containsKey(file) || !slots.isEmpty()) {
                throw new AssertionError("pending of file " + file + " out of order");
            }
            pending.put(file, attributes);
        }

        @Override
        public void slot(int slot, int file, int block, int validPages, int dirtyPages) {
            if (!files.containsKey(file)) {
                throw new AssertionError("slot " + slot + " is of unknown file " + file);
            }
            for (int[] other : mappings.values()) {
                if (other[0] == file && other[1] == block) {
                    throw new AssertionError("block " + file + ":" + block + " is in two slots");
                }
            }
            slots.put(slot, describe(file, block, validPages, dirtyPages));
            mappings.put(slot, new int[] {file, block, validPages, dirtyPages});
        }

        static String describe(int file, int block, int validPages, int dirtyPages) {
            return file + ":" + block + " valid " + validPages + " dirty " + dirtyPages;
        }
    }

    /** Pages of a slot whose bytes are what the table's checksums say. */
    static int soundPages(BlockStore store, int slot) throws IOException {
        ByteBuffer data = ByteBuffer.allocateDirect(BLOCK_BYTES);
        store.readSlot(slot, 0, data);
        int[] found = checksums(data.flip());
        int[] stored = new int[PAGES];
        store.readChecksums(slot, stored);
        int sound = 0;
        for (int page = 0; page < PAGES; page++) {
            sound |= found[page] == stored[page] ? 1 << page : 0;
        }
        return sound;
    }
}
