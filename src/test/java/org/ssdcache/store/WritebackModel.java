package org.ssdcache.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.ssdcache.store.StoreFixture.facts;
import static org.ssdcache.store.StoreFixture.id;
import static org.ssdcache.store.StoreFixture.pending;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.store.StoreFixture.Contents;

/**
 * A small writeback cache over a store, and what may be seen of it after a crash: each page of each
 * block has a version that every write counts up, and after a crash shows the version of the last
 * sync or a later one.
 *
 * <p>It obeys the store's rules as the real cache must: data and record inside a change; in place
 * only where no sync has a dirty page; a slot is used again when its end is durable; a block that
 * went home is written in place when the mark is durable, and goes home when it is durable itself.
 */
final class WritebackModel {
    static final StoreGeometry GEOMETRY =
            new StoreGeometry(8 << 10, 24, StoreGeometry.MIN_JOURNAL_BYTES);

    private static final int PAGES = GEOMETRY.pagesPerBlock();
    private static final int ALL = (1 << PAGES) - 1;
    private static final int FILES = 2;
    private static final int BLOCKS = 4;

    /** A slot that holds nothing, freed again and again to make a journal block. */
    private static final int SPEAKER = GEOMETRY.slotCount() - 1;

    /** One block of one file of one generation. */
    private static final class Block {
        final int file;
        final int number;

        /** Versions of the pages as the application sees them, after each write. */
        final List<int[]> history = new ArrayList<>();

        /** The moment in the history that the last sync made durable. */
        int acknowledged;

        final int[] backing = new int[PAGES];
        int slot = -1;
        int dirty;

        Block(int file, int number) {
            this.file = file;
            this.number = number;
            history.add(new int[PAGES]);
        }

        int[] now() {
            return history.get(history.size() - 1);
        }
    }

    /** A file, from its definition to its drop. */
    private static final class Generation {
        final long inode;
        final List<Block> blocks = new ArrayList<>();
        final List<PendingAttributes> pending = new ArrayList<>();
        int acknowledged;

        Generation(int file, long inode) {
            this.inode = inode;
            pending.add(null);
            for (int number = 0; number < BLOCKS; number++) {
                blocks.add(new Block(file, number));
            }
        }
    }

    private record Retired(int slot, long sequence) {}

    private final long seed;
    private final boolean partialCleans;
    private Random random;
    private BlockStore store;
    private final List<List<Generation>> files = new ArrayList<>();
    private final int[] acknowledgedGeneration = new int[FILES];
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final ArrayDeque<Retired> retired = new ArrayDeque<>();
    private long nextInode = 1;
    private int moves;
    private int inPlace;

    /**
     * @param partialCleans whether single pages of a block go home, after which a block may be old
     *     and new in parts
     */
    WritebackModel(long seed, boolean partialCleans) {
        this.seed = seed;
        this.random = new Random(seed);
        this.partialCleans = partialCleans;
        for (int file = 0; file < FILES; file++) {
            files.add(new ArrayList<>());
        }
        for (int slot = 0; slot < SPEAKER; slot++) {
            free.add(slot);
        }
    }

    /** How many blocks moved, and how many writes were in place. */
    int[] paths() {
        return new int[] {moves, inPlace};
    }

    void run(BlockStore opened, int steps) throws IOException {
        store = opened;
        for (int i = 0; i < steps; i++) {
            step();
        }
    }

    private void step() throws IOException {
        int file = random.nextInt(FILES);
        int kind = random.nextInt(40);
        List<Generation> generations = files.get(file);
        if (generations.isEmpty()) {
            define(file);
        } else if (kind < 20) {
            write(generations.get(generations.size() - 1));
        } else if (kind < 25) {
            clean(anyBlock(file));
        } else if (kind < 27) {
            evict(anyBlock(file));
        } else if (kind < 28) {
            drop(file);
        } else if (kind < 31) {
            store.writeJournal();
        } else if (kind < 32) {
            settle(generations.get(generations.size() - 1), file);
        } else if (kind < 34) {
            fill(anyBlock(file));
        } else if (kind < 38) {
            // Only a block that is written proves what the sync before made durable.
            store.slotFreed(SPEAKER);
            sync(() -> store.sync());
        } else {
            sync(() -> store.checkpoint(store.cutJournal()));
        }
    }

    private Block anyBlock(int file) {
        List<Generation> generations = files.get(file);
        return generations.get(generations.size() - 1).blocks.get(random.nextInt(BLOCKS));
    }

    private void define(int file) throws IOException {
        Generation generation = new Generation(file, nextInode++);
        files.get(file).add(generation);
        store.fileDefined(file, id(generation.inode), facts(1));
    }

    private void write(Generation generation) throws IOException {
        Block block = generation.blocks.get(random.nextInt(BLOCKS));
        int pages = 1 + random.nextInt(ALL);
        int[] versions = block.now().clone();
        for (int page = 0; page < PAGES; page++) {
            versions[page] += (pages & 1 << page) != 0 ? 1 : 0;
        }
        int slot = block.slot < 0 ? take() : block.slot;
        int spare = block.slot < 0 ? -1 : take();
        try (SlotChange change = store.beginChange()) {
            block.history.add(versions);
            if (block.slot < 0) {
                writePages(block, slot, ALL, versions);
                block.slot = slot;
                block.dirty = ALL;
                map(block, ALL, versions);
            } else if (store.mayOverwrite(block.slot, block.dirty)) {
                inPlace++;
                writePages(block, slot, pages, versions);
                block.dirty |= pages;
                map(block, pages, versions);
            } else {
                moves++;
                writePages(block, spare, ALL, versions);
                block.slot = spare;
                block.dirty |= pages;
                store.slotMoved(
                        slot,
                        spare,
                        block.file,
                        block.number,
                        ALL,
                        block.dirty,
                        checksums(block, versions));
                retired.add(new Retired(slot, store.lastSequence()));
                spare = -1;
            }
            generation.pending.add(pending(random.nextInt(100)));
            store.filePending(block.file, generation.pending.get(generation.pending.size() - 1));
        }
        if (spare >= 0) {
            free.add(spare);
        }
    }

    private void map(Block block, int changed, int[] versions) throws IOException {
        store.slotMapped(
                block.slot,
                block.file,
                block.number,
                ALL,
                block.dirty,
                changed,
                checksums(block, versions));
    }

    private int take() throws IOException {
        while (free.isEmpty()) {
            if (retired.peek().sequence > store.durableSequence()) {
                sync(() -> store.sync());
            }
            free.add(retired.poll().slot);
        }
        // Sometimes as soon as it may be, mostly later.
        if (!retired.isEmpty()
                && retired.peek().sequence <= store.durableSequence()
                && random.nextBoolean()) {
            return retired.poll().slot;
        }
        return free.poll();
    }

    /** Brings dirty pages of a block to the backing, which is durable at once. */
    private void clean(Block block) throws IOException {
        if (block.dirty == 0) {
            return;
        }
        if (store.isYoung(block.slot)) {
            // Else the backing could become newer than what is left of a slot that was clean.
            sync(() -> store.sync());
        }
        int pages = partialCleans ? block.dirty & (1 + random.nextInt(ALL)) : block.dirty;
        for (int page = 0; page < PAGES; page++) {
            if ((pages & 1 << page) != 0) {
                block.backing[page] = block.now()[page];
            }
        }
        block.dirty &= ~pages;
        store.slotMapped(block.slot, block.file, block.number, ALL, block.dirty, 0, new int[0]);
    }

    private void evict(Block block) throws IOException {
        if (block.slot >= 0 && block.dirty == 0) {
            store.slotFreed(block.slot);
            retired.add(new Retired(block.slot, store.lastSequence()));
            block.slot = -1;
        }
    }

    private void fill(Block block) throws IOException {
        if (block.slot < 0) {
            int slot = take();
            writePages(block, slot, ALL, block.backing);
            block.slot = slot;
            map(block, ALL, block.backing);
        }
    }

    private void drop(int file) throws IOException {
        List<Generation> generations = files.get(file);
        Generation last = generations.get(generations.size() - 1);
        Generation next = new Generation(file, nextInode++);
        generations.add(next);
        store.fileDropped(file);
        long sequence = store.lastSequence();
        for (Block block : last.blocks) {
            if (block.slot >= 0) {
                retired.add(new Retired(block.slot, sequence));
                block.slot = -1;
            }
        }
        store.fileDefined(file, id(next.inode), facts(1));
    }

    private void settle(Generation generation, int file) throws IOException {
        generation.pending.add(null);
        store.fileSettled(file);
    }

    private interface Durable {
        void run() throws IOException;
    }

    /** What was written before a sync is acknowledged when it succeeds. */
    private void sync(Durable sync) throws IOException {
        sync.run();
        for (int file = 0; file < FILES; file++) {
            List<Generation> generations = files.get(file);
            acknowledgedGeneration[file] = generations.size() - 1;
            for (Generation generation : generations) {
                generation.acknowledged = generation.pending.size() - 1;
                generation.blocks.forEach(b -> b.acknowledged = b.history.size() - 1);
            }
        }
    }

    void closeClean() throws IOException {
        sync(() -> store.closeClean());
    }

    private void writePages(Block block, int slot, int pages, int[] versions) throws IOException {
        int first = Integer.numberOfTrailingZeros(pages);
        int end = Integer.SIZE - Integer.numberOfLeadingZeros(pages);
        ByteBuffer data = ByteBuffer.allocateDirect((end - first) * BlockGeometry.PAGE_BYTES);
        for (int page = first; page < end; page++) {
            data.put(page(block, page, versions[page]));
        }
        store.writeSlot(slot, first * BlockGeometry.PAGE_BYTES, data.flip());
    }

    private static ByteBuffer page(Block block, int page, int version) {
        ByteBuffer data = ByteBuffer.allocateDirect(BlockGeometry.PAGE_BYTES);
        while (data.hasRemaining()) {
            data.putInt(version).putInt(block.file).putInt(block.number).putInt(page);
        }
        return data.flip();
    }

    private static int[] checksums(Block block, int[] versions) {
        int[] checksums = new int[PAGES];
        for (int page = 0; page < PAGES; page++) {
            checksums[page] = BlockStore.pageChecksum(page(block, page, versions[page]));
        }
        return checksums;
    }

    /**
     * Compares a store opened after a crash with what may be there, and takes it over: the run can
     * go on with it.
     */
    void recovered(BlockStore opened, String where) throws IOException {
        store = opened;
        Contents contents = Contents.of(opened);
        for (int file = 0; file < FILES; file++) {
            recover(file, contents, where);
        }
        free.clear();
        retired.clear();
        for (int slot = 0; slot < SPEAKER; slot++) {
            if (!contents.mappings.containsKey(slot)) {
                free.add(slot);
            }
        }
    }

    private void recover(int file, Contents contents, String where) throws IOException {
        List<Generation> generations = files.get(file);
        int found = -1;
        for (int i = 0; i < generations.size(); i++) {
            if (id(generations.get(i).inode).equals(contents.files.get(file))) {
                found = i;
            }
        }
        boolean isGone = !contents.files.containsKey(file);
        assertTrue(found >= 0 || isGone, where + ": unknown file " + contents.files.get(file));
        if (isGone) {
            // Before the first definition, or between a drop and the definition after it.
            boolean mayBeGone =
                    generations.isEmpty() || generations.size() - 1 > acknowledgedGeneration[file];
            assertTrue(
                    mayBeGone || generations.get(acknowledgedGeneration[file]).acknowledged == 0,
                    where + ": file " + file + " is lost");
            generations.clear();
            acknowledgedGeneration[file] = 0;
            return;
        }
        assertTrue(found >= acknowledgedGeneration[file], where + ": an older file " + file);
        Generation generation = generations.get(found);
        checkPending(generation, contents.pending.get(file), where);
        for (Block block : generation.blocks) {
            recover(block, contents, where);
        }
        generations.clear();
        generations.add(generation);
        acknowledgedGeneration[file] = 0;
    }

    private static void checkPending(Generation generation, PendingAttributes found, String where) {
        List<PendingAttributes> possible =
                generation.pending.subList(generation.acknowledged, generation.pending.size());
        assertTrue(possible.contains(found), where + ": pending " + found + " not of " + possible);
        generation.pending.clear();
        generation.pending.add(found);
        generation.acknowledged = 0;
    }

    private void recover(Block block, Contents contents, String where) throws IOException {
        String what = where + ": block " + block.file + ":" + block.number;
        int[] seen = block.backing.clone();
        block.slot = -1;
        block.dirty = 0;
        for (var mapping : contents.mappings.entrySet()) {
            int[] found = mapping.getValue();
            if (found[0] == block.file && found[1] == block.number) {
                takeOver(block, mapping.getKey(), found[2], found[3], seen, what);
            }
        }
        for (int page = 0; page < PAGES; page++) {
            int least = block.history.get(block.acknowledged)[page];
            assertTrue(
                    seen[page] >= least && seen[page] <= block.now()[page],
                    what + " has " + Arrays.toString(seen) + ", acknowledged was " + least);
        }
        if (!partialCleans) {
            assertTrue(
                    block.history.subList(block.acknowledged, block.history.size()).stream()
                            .anyMatch(versions -> Arrays.equals(versions, seen)),
                    what + " is torn: " + Arrays.toString(seen));
        }
        block.history.clear();
        block.history.add(seen);
        block.acknowledged = 0;
    }

    /** As the cache does: clean pages that are not what their checksums say are given up. */
    private void takeOver(Block block, int slot, int valid, int dirty, int[] seen, String what)
            throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(GEOMETRY.blockBytes());
        store.readSlot(slot, 0, bytes);
        int[] stored = new int[PAGES];
        store.readChecksums(slot, stored);
        boolean whole = valid == ALL;
        for (int page = 0; page < PAGES; page++) {
            ByteBuffer data =
                    bytes.slice(page * BlockGeometry.PAGE_BYTES, BlockGeometry.PAGE_BYTES);
            boolean isDirty = (dirty & 1 << page) != 0;
            if ((valid & 1 << page) == 0) {
                continue;
            }
            if (BlockStore.pageChecksum(data) != stored[page]) {
                assertTrue(!isDirty, what + " lost dirty page " + page + " in slot " + slot);
                whole = false;
                continue;
            }
            int version = data.getInt(0);
            assertEquals(page(block, page, version), data, what + " has bytes of another block");
            if (!isDirty) {
                assertArrayEquals(
                        new int[] {block.backing[page]}, new int[] {version}, what + " is stale");
            }
            seen[page] = version;
        }
        if (whole) {
            block.slot = slot;
            block.dirty = dirty;
        } else if (dirty == 0) {
            store.slotFreed(slot);
        } else {
            refill(block, slot, valid, dirty, seen);
        }
    }

    /** Missing pages come from the backing, so that the model's blocks are whole. */
    private void refill(Block block, int slot, int valid, int dirty, int[] seen)
            throws IOException {
        for (int page = 0; page < PAGES; page++) {
            if ((dirty & 1 << page) == 0) {
                writePages(block, slot, 1 << page, seen);
            }
        }
        block.slot = slot;
        block.dirty = dirty;
        map(block, ALL & ~dirty, seen);
        assertTrue(valid != 0, "seed " + seed);
    }
}
