package org.ssdcache.store;

import java.util.Arrays;

/**
 * What journal records make of slots: the last state of each slot they name, in primitive arrays.
 *
 * <p>A MAP record states the checksums of the pages it changed only. Those of the other pages come
 * from records before it for the same mapping, or else, when the table is written, from the slot's
 * entry there, unless the slot was freed or went to another block in between ({@link #isFresh}).
 *
 * <p>A MOVE record whose data is not proven leaves the old slot as it was and links the two, so
 * that {@link UnprovenSlots} can decide which of them has the block.
 */
final class SlotChanges {
    /** Instead of a place. */
    static final int NONE = -1;

    private static final int EMPTY = NONE;

    private final int pagesPerBlock;
    private int count;
    private int[] slots = new int[1024];
    private int[] files = new int[1024];
    private int[] blocks = new int[1024];
    private int[] validPages = new int[1024];
    private int[] dirtyPages = new int[1024];
    private int[] knownPages = new int[1024];
    private int[] unprovenPages = new int[1024];
    private boolean[] fresh = new boolean[1024];

    /** The place of the slot that the block was moved from, while that is not proven. */
    private int[] origins = table(1024);

    /** The place of the slot that the block was moved to, while that is not proven. */
    private int[] movedTo = table(1024);

    /** Pages that the backing got, or that were given up, since the block was moved here. */
    private int[] cleanedPages = new int[1024];

    /** Pages that the slot's entry in the table loses, if no record says more of the slot. */
    private int[] givenUpPages = new int[1024];

    private long[] sequences = new long[1024];
    private int[] checksums;

    /** Open addressing, slot to place; at most half full. */
    private int[] places = table(4096);

    SlotChanges(int pagesPerBlock) {
        this.pagesPerBlock = pagesPerBlock;
        checksums = new int[1024 * pagesPerBlock];
    }

    /**
     * @param proven whether the slot's data is known to be what the record says
     */
    void mapped(long sequence, JournalRecord record, boolean proven) {
        int place = placeOf(record.slot);
        boolean continues =
                files[place] == record.file
                        && blocks[place] == record.block
                        && validPages[place] != 0
                        && movedTo[place] == NONE;
        if (!continues && (sequences[place] != 0 || movedTo[place] != NONE)) {
            // Known to be something else: what the table says of this slot is over.
            fresh[place] = true;
        }
        if (!continues) {
            unlink(place);
            clear(place);
        }
        cleanedPages[place] |= dirtyPages[place] & ~record.dirtyPages;
        cleanedPages[place] |= validPages[place] & ~record.validPages;
        set(place, sequence, record, proven);
    }

    /**
     * @param proven whether the new slot's data is known to be what the record says
     */
    void moved(long sequence, JournalRecord record, boolean proven) {
        if (proven) {
            freed(sequence, record.fromSlot);
        }
        int to = placeOf(record.slot);
        unlink(to);
        clear(to);
        fresh[to] = true;
        set(to, sequence, record, proven);
        if (!proven) {
            int from = placeOf(record.fromSlot);
            if (movedTo[from] != NONE) {
                origins[movedTo[from]] = NONE;
            }
            movedTo[from] = to;
            origins[to] = from;
        }
    }

    private void set(int place, long sequence, JournalRecord record, boolean proven) {
        files[place] = record.file;
        blocks[place] = record.block;
        validPages[place] = record.validPages;
        dirtyPages[place] = record.dirtyPages;
        sequences[place] = sequence;
        knownPages[place] = (knownPages[place] | record.changedPages) & record.validPages;
        unprovenPages[place] &= record.validPages;
        if (proven) {
            unprovenPages[place] &= ~record.changedPages;
        } else {
            unprovenPages[place] |= record.changedPages;
        }
        for (int rest = record.changedPages; rest != 0; rest &= rest - 1) {
            int page = Integer.numberOfTrailingZeros(rest);
            checksums[place * pagesPerBlock + page] = record.checksums[page];
        }
    }

    void freed(long sequence, int slot) {
        int place = placeOf(slot);
        unlink(place);
        free(place, sequence);
    }

    private void free(int place, long sequence) {
        clear(place);
        fresh[place] = true;
        sequences[place] = sequence;
    }

    private void clear(int place) {
        validPages[place] = 0;
        dirtyPages[place] = 0;
        knownPages[place] = 0;
        unprovenPages[place] = 0;
        cleanedPages[place] = 0;
    }

    /** What is in the slot now has nothing to do with where a block came from or went to. */
    private void unlink(int place) {
        freeOrigins(place);
        if (movedTo[place] != NONE) {
            origins[movedTo[place]] = NONE;
            movedTo[place] = NONE;
        }
    }

    /** The slots that the block came from, over however many moves, hold nothing. */
    void freeOrigins(int place) {
        int origin = origins[place];
        origins[place] = NONE;
        while (origin != NONE) {
            int next = origins[origin];
            free(origin, Math.max(sequences[place], 1));
            origins[origin] = NONE;
            movedTo[origin] = NONE;
            origin = next;
        }
    }

    /** What unproven records made of the slot does not count. */
    void undo(int place) {
        int kept = origins[place] == NONE ? dirtyPages[place] & ~unprovenPages[place] : 0;
        if (origins[place] != NONE) {
            movedTo[origins[place]] = NONE;
            origins[place] = NONE;
        }
        if (kept == 0) {
            free(place, sequences[place]);
        } else {
            validPages[place] = kept;
            dirtyPages[place] = kept;
        }
    }

    /** These pages are not valid any more. */
    void giveUpPages(int place, int pages) {
        givenUpPages[place] |= pages;
        validPages[place] &= ~pages;
        dirtyPages[place] &= ~pages;
    }

    int count() {
        return count;
    }

    /** The places of all changes in the order of their slots. */
    int[] placesBySlot() {
        long[] keys = new long[count];
        for (int place = 0; place < count; place++) {
            keys[place] = ((long) slots[place] << Integer.SIZE) | place;
        }
        Arrays.sort(keys);
        int[] ordered = new int[count];
        for (int i = 0; i < count; i++) {
            ordered[i] = (int) keys[i];
        }
        return ordered;
    }

    /** The place of the slot that the block was moved from; {@link #NONE} if that is settled. */
    int origin(int place) {
        return origins[place];
    }

    boolean isMovedAway(int place) {
        return movedTo[place] != NONE;
    }

    /** Whether no record says what the slot holds: its entry in the table counts. */
    boolean isUntouched(int place) {
        return sequences[place] == 0;
    }

    int pagesCleanedSinceMove(int place) {
        return cleanedPages[place];
    }

    int givenUpPages(int place) {
        return givenUpPages[place];
    }

    int slot(int place) {
        return slots[place];
    }

    int file(int place) {
        return files[place];
    }

    int block(int place) {
        return blocks[place];
    }

    /** 0 if the slot is free. */
    int validPages(int place) {
        return validPages[place];
    }

    int dirtyPages(int place) {
        return dirtyPages[place];
    }

    /** Valid pages whose checksum a record stated. */
    int knownPages(int place) {
        return knownPages[place];
    }

    /** Valid pages that were changed by a record whose data may not have reached the disk. */
    int unprovenPages(int place) {
        return unprovenPages[place];
    }

    /** Whether the slot's entry in the table has nothing to do with this state. */
    boolean isFresh(int place) {
        return fresh[place];
    }

    long sequence(int place) {
        return sequences[place];
    }

    int checksum(int place, int page) {
        return checksums[place * pagesPerBlock + page];
    }

    private int placeOf(int slot) {
        if (2 * count >= places.length) {
            places = table(2 * places.length);
            for (int place = 0; place < count; place++) {
                places[hole(slots[place])] = place;
            }
        }
        int at = hole(slot);
        if (places[at] == EMPTY) {
            if (count == slots.length) {
                grow();
            }
            slots[count] = slot;
            origins[count] = NONE;
            movedTo[count] = NONE;
            places[at] = count++;
        }
        return places[at];
    }

    /** Where a slot is in the table, or would be. */
    private int hole(int slot) {
        int mask = places.length - 1;
        int at = ((slot * 0x9E3779B9) >>> 7) & mask;
        while (places[at] != EMPTY && slots[places[at]] != slot) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private static int[] table(int length) {
        int[] table = new int[length];
        Arrays.fill(table, EMPTY);
        return table;
    }

    private void grow() {
        int length = 2 * count;
        slots = Arrays.copyOf(slots, length);
        files = Arrays.copyOf(files, length);
        blocks = Arrays.copyOf(blocks, length);
        validPages = Arrays.copyOf(validPages, length);
        dirtyPages = Arrays.copyOf(dirtyPages, length);
        knownPages = Arrays.copyOf(knownPages, length);
        unprovenPages = Arrays.copyOf(unprovenPages, length);
        origins = Arrays.copyOf(origins, length);
        movedTo = Arrays.copyOf(movedTo, length);
        cleanedPages = Arrays.copyOf(cleanedPages, length);
        givenUpPages = Arrays.copyOf(givenUpPages, length);
        fresh = Arrays.copyOf(fresh, length);
        sequences = Arrays.copyOf(sequences, length);
        checksums = Arrays.copyOf(checksums, Math.multiplyExact(length, pagesPerBlock));
    }
}
