package org.ssdcache.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.ssdcache.store.StoreFixture.ALL;
import static org.ssdcache.store.StoreFixture.BOOT;
import static org.ssdcache.store.StoreFixture.NEXT_BOOT;
import static org.ssdcache.store.StoreFixture.data;
import static org.ssdcache.store.StoreFixture.facts;
import static org.ssdcache.store.StoreFixture.id;
import static org.ssdcache.store.StoreFixture.open;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.ssdcache.block.FileId;
import org.ssdcache.block.MappingSink;
import org.ssdcache.store.StoreFixture.Contents;
import org.ssdcache.testing.FaultyBlockFile;
import org.ssdcache.testing.MemoryBlockFile;

/**
 * Ends a run of the store at each of its disk operations in turn, opens what is left, and compares
 * with a model of what may be there. All choices come from a seed that every failure prints.
 */
class StoreCrashTest {
    private static final int FILES = 4;
    private static final int SLOTS = 40;
    private static final int STEPS = 60;
    private static final int EIO = 5;

    /** What one slot holds after some number of records. */
    private record State(long generation, int file, int block, int version, int dirty) {
        static final State FREE = new State(-1, -1, -1, 0, 0);
    }

    /**
     * A run: random steps, and after each one the state of all slots, so that the recovered store
     * can be looked for among the states since the last sync.
     */
    private static final class Run {
        final Random random;
        final State[] slots = new State[SLOTS];
        final long[] generations = new long[FILES];
        final List<State[]> history = new ArrayList<>();
        final List<long[]> generationHistory = new ArrayList<>();
        long nextGeneration = 1;

        /** The moment of the last sync: what was recorded until then must not be lost. */
        int durable;

        /** The moment of the sync before: what was recorded until then is known to be durable. */
        int proven;

        Run(long seed) {
            random = new Random(seed);
            java.util.Arrays.fill(slots, State.FREE);
            remember();
        }

        void remember() {
            history.add(slots.clone());
            generationHistory.add(generations.clone());
        }

        void steps(BlockStore store) throws IOException {
            for (int i = 0; i < STEPS; i++) {
                step(store);
                remember();
            }
        }

        private void step(BlockStore store) throws IOException {
            int file = random.nextInt(FILES);
            int slot = random.nextInt(SLOTS);
            int kind = random.nextInt(20);
            if (generations[file] == 0) {
                generations[file] = nextGeneration++;
                store.fileDefined(file, id(generations[file]), facts(1));
            } else if (kind < 11) {
                map(store, slot, file);
            } else if (kind < 13) {
                free(store, slot);
            } else if (kind < 14) {
                drop(store, file);
            } else if (kind < 15) {
                store.writeJournal();
            } else if (kind < 18) {
                // A record that changes nothing: only a block that is written proves something.
                store.slotFreed(SLOTS);
                sync(store);
            } else {
                store.checkpoint(store.cutJournal());
                durable = history.size() - 1;
                proven = durable;
            }
        }

        /** As the cache does: a slot is reused only after its free is durable. */
        private void map(BlockStore store, int slot, int file) throws IOException {
            int version = random.nextInt(1 << 30);
            if (!slots[slot].equals(State.FREE)) {
                store.slotFreed(slot);
                slots[slot] = State.FREE;
                remember();
                sync(store);
            }
            int dirty = random.nextInt(4) == 0 ? ALL : 0;
            StoreFixture.put(store, slot, file, slot, version, dirty);
            slots[slot] = new State(generations[file], file, slot, version, dirty);
        }

        private void free(BlockStore store, int slot) throws IOException {
            if (!slots[slot].equals(State.FREE)) {
                store.slotFreed(slot);
                slots[slot] = State.FREE;
            }
        }

        private void drop(BlockStore store, int file) throws IOException {
            store.fileDropped(file);
            generations[file] = 0;
            for (int i = 0; i < SLOTS; i++) {
                if (slots[i].file == file) {
                    slots[i] = State.FREE;
                }
            }
            remember();
            // Slots of a dropped file are reused only after the drop is durable, too.
            sync(store);
        }

        private void sync(BlockStore store) throws IOException {
            store.sync();
            proven = durable;
            durable = history.size() - 1;
        }

        void closed() {
            durable = history.size() - 1;
            proven = durable;
        }
    }

    /** The run up to a number of operations; what is left, and what may be in it. */
    private static Run runUntil(FaultyBlockFile disk, long seed) {
        Run run = new Run(seed);
        try {
            BlockStore store = open(disk, BOOT);
            run.steps(store);
            store.closeClean();
            run.closed();
        } catch (IOException e) {
            assertTrue(disk.isPowerGone(), () -> "seed " + seed + ": " + e);
            run.remember();
        }
        return run;
    }

    /**
     * The recovered store must be the model at some moment since the last sync, except that clean
     * slots of records that were not known durable may be missing.
     */
    private static void check(
            MemoryBlockFile left, Run run, String bootId, int proven, String where)
            throws IOException {
        try (BlockStore store = open(left, bootId)) {
            Contents contents = Contents.of(store);
            String last = "";
            for (int moment = run.history.size() - 1; moment >= run.durable; moment--) {
                last = difference(store, contents, run, moment, proven);
                if (last.isEmpty()) {
                    return;
                }
            }
            throw new AssertionError(where + ": no moment fits; at the last sync " + last);
        }
    }

    private static String difference(
            BlockStore store, Contents contents, Run run, int moment, int proven)
            throws IOException {
        State[] slots = run.history.get(moment);
        State[] durable = run.history.get(run.durable);
        State[] known = run.history.get(proven);
        Map<Integer, FileId> files = new HashMap<>();
        for (int file = 0; file < FILES; file++) {
            long generation = run.generationHistory.get(moment)[file];
            if (generation != 0) {
                files.put(file, id(generation));
            }
        }
        if (!files.equals(contents.files)) {
            return "files " + contents.files + " instead of " + files;
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            int[] found = contents.mappings.get(slot);
            State wanted = slots[slot];
            boolean wasDurable = wanted.equals(durable[slot]);
            if (found == null) {
                boolean mustBeThere =
                        wasDurable && (wanted.dirty != 0 || wanted.equals(known[slot]));
                if (!wanted.equals(State.FREE) && mustBeThere) {
                    return "slot " + slot + " is lost";
                }
                continue;
            }
            if (found[0] != wanted.file || found[1] != wanted.block || found[3] != wanted.dirty) {
                return "slot " + slot + " is " + contents.slots.get(slot) + ", not " + wanted;
            }
            if (StoreFixture.soundPages(store, slot) != ALL || !holds(store, slot, wanted)) {
                return "slot " + slot + " has wrong bytes";
            }
        }
        return "";
    }

    private static boolean holds(BlockStore store, int slot, State wanted) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(StoreFixture.BLOCK_BYTES);
        store.readSlot(slot, 0, bytes);
        return bytes.flip().equals(data(wanted.file, wanted.block, wanted.version));
    }

    @Test
    void powerCutAtEveryOperation() throws IOException {
        for (long seed = 1; seed <= 3; seed++) {
            MemoryBlockFile formatted = StoreFixture.formatted();
            for (long n = 1; ; n++) {
                FaultyBlockFile disk = new FaultyBlockFile(formatted.copy(), seed * 1000 + n);
                disk.cutPowerAt(n);
                Run run = runUntil(disk, seed);
                check(
                        disk.crash(),
                        run,
                        NEXT_BOOT,
                        run.proven,
                        "power cut, seed " + seed + " operation " + n);
                if (!disk.isPowerGone()) {
                    assertTrue(n > 50, "the run has more operations than that: " + n);
                    break;
                }
            }
        }
    }

    @Test
    void killAtEveryOperation() throws IOException {
        for (long seed = 11; seed <= 12; seed++) {
            MemoryBlockFile formatted = StoreFixture.formatted();
            for (long n = 1; ; n++) {
                FaultyBlockFile disk = new FaultyBlockFile(formatted.copy(), seed * 1000 + n);
                disk.cutPowerAt(n);
                Run run = runUntil(disk, seed);
                check(
                        disk.kill(),
                        run,
                        BOOT,
                        run.durable,
                        "kill, seed " + seed + " operation " + n);
                if (!disk.isPowerGone()) {
                    break;
                }
            }
        }
    }

    @Test
    void everyOperationFailsOnce() throws IOException {
        long seed = 21;
        MemoryBlockFile formatted = StoreFixture.formatted();
        for (long n = 1; ; n++) {
            FaultyBlockFile disk = new FaultyBlockFile(formatted.copy(), seed * 1000 + n);
            disk.failOperation(n, EIO);
            Run run = new Run(seed);
            boolean failed = false;
            try {
                BlockStore store = open(disk, BOOT);
                run.steps(store);
                store.closeClean();
                run.closed();
            } catch (IOException e) {
                failed = true;
                run.remember();
            }
            check(
                    disk.crash(),
                    run,
                    NEXT_BOOT,
                    run.proven,
                    "failing operation " + n + ", seed " + seed);
            if (!failed) {
                assertTrue(disk.operations() < n, "operation " + n + " failed and nobody noticed");
                break;
            }
        }
    }

    /** The replay is cut again and again, and in the end finds what an uncut replay finds. */
    @Test
    void powerCutDuringEveryOperationOfTheReplay() throws IOException {
        for (long seed = 31; seed <= 33; seed++) {
            FaultyBlockFile disk = new FaultyBlockFile(StoreFixture.formatted(), seed);
            BlockStore store = open(disk, BOOT);
            new Run(seed).steps(store);
            store.writeIntended(1, BlockStore.WHOLE_FILE);
            store.writeJournal();
            MemoryBlockFile left = disk.crash();
            Map<Integer, String> expected;
            try (BlockStore uncut = open(left.copy(), NEXT_BOOT)) {
                expected = Contents.of(uncut).slots;
            }
            MemoryBlockFile again = left.copy();
            for (long n = 1; ; n++) {
                FaultyBlockFile replayed = new FaultyBlockFile(again, seed * 1000 + n);
                replayed.cutPowerAt(n);
                try (BlockStore opened = open(replayed, NEXT_BOOT)) {
                    assertEquals(expected, Contents.of(opened).slots, "seed " + seed);
                    break;
                } catch (IOException e) {
                    assertTrue(replayed.isPowerGone(), "seed " + seed + ": " + e);
                }
                again = replayed.crash();
            }
        }
    }

    /** Formatting over an old store leaves the new one or none. */
    @Test
    void powerCutDuringFormatLeavesNoStoreOrAnEmptyOne() throws IOException {
        MemoryBlockFile old = StoreFixture.formatted();
        BlockStore store = open(old, BOOT);
        store.fileDefined(0, id(1), facts(1));
        StoreFixture.put(store, 1, 0, 1, 1);
        store.checkpoint(store.cutJournal());
        StoreIdentity newId = new StoreIdentity(77, 78);
        for (long n = 1; ; n++) {
            FaultyBlockFile disk = new FaultyBlockFile(old.copy(), n);
            disk.cutPowerAt(n);
            boolean cut = false;
            try {
                BlockStore.format(disk, StoreFixture.GEOMETRY, newId, progress -> {});
            } catch (IOException e) {
                cut = true;
            }
            MemoryBlockFile left = disk.crash();
            try (BlockStore opened = open(left, NEXT_BOOT)) {
                boolean isOld = opened.identity().equals(StoreFixture.ID);
                assertTrue((isOld && n <= 2) || opened.identity().equals(newId), "operation " + n);
                assertEquals(isOld, Contents.of(opened).slots.containsKey(1), "operation " + n);
            } catch (StoreException e) {
                assertTrue(cut, "an uncut format is a store, operation " + n);
            }
            if (!cut) {
                break;
            }
        }
    }

    @Test
    void theLoadedSlotsAreInOrderAndTheFilesFirst() throws IOException {
        MemoryBlockFile file = StoreFixture.formatted();
        try (BlockStore store = open(file, BOOT)) {
            store.fileDefined(1, id(1), facts(1));
            for (int slot = 30; slot > 20; slot--) {
                StoreFixture.put(store, slot, 1, 100 - slot, 1);
            }
            store.checkpoint(store.cutJournal());
            List<Integer> order = new ArrayList<>();
            store.load(
                    new MappingSink() {
                        @Override
                        public void file(
                                int number, FileId fileId, org.ssdcache.block.FileFacts known) {
                            order.add(-number);
                        }

                        @Override
                        public void slot(int slot, int number, int block, int valid, int dirty) {
                            order.add(slot);
                        }
                    });
            assertEquals(List.of(-1, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30), order);
        }
    }
}
