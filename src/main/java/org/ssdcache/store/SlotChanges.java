package org.ssdcache.store;

import java.util.Arrays;

/**
 * What journal records make of slots: the last state of each slot they name, in primitive arrays.
 *
 * <p>A MAP record states the checksums of the pages it changed only. Those of the other pages come
 * from records before it for the same mapping, or else, when the table is written, from the slot's
 * entry there, unless the slot was freed or went to another block in between ({@link #isFresh}).
 */
final class SlotChanges {
    private static final int EMPTY = -1;

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
                        && validPages[place] != 0;
        if (!continues && sequences[place] != 0) {
            // Known to be something else: what the table says of this slot is over.
            fresh[place] = true;
        }
        if (!continues) {
            knownPages[place] = 0;
            unprovenPages[place] = 0;
        }
        files[place] = record.file;
        blocks[place] = record.block;
        validPages[place] = record.validPages;
        dirtyPages[place] = record.dirtyPages;
        sequences[place] = sequence;
        knownPages[place] = (knownPages[place] | record.changedPages) & record.validPages;
        unprovenPages[place] &= record.validPages;
        if (!proven) {
            unprovenPages[place] |= record.changedPages;
        }
        for (int rest = record.changedPages; rest != 0; rest &= rest - 1) {
            int page = Integer.numberOfTrailingZeros(rest);
            checksums[place * pagesPerBlock + page] = record.checksums[page];
        }
    }

    void freed(long sequence, int slot) {
        int place = placeOf(slot);
        validPages[place] = 0;
        dirtyPages[place] = 0;
        knownPages[place] = 0;
        unprovenPages[place] = 0;
        fresh[place] = true;
        sequences[place] = sequence;
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
        fresh = Arrays.copyOf(fresh, length);
        sequences = Arrays.copyOf(sequences, length);
        checksums = Arrays.copyOf(checksums, Math.multiplyExact(length, pagesPerBlock));
    }
}
