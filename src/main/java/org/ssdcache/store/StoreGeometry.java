package org.ssdcache.store;

import org.ssdcache.block.BlockGeometry;

/**
 * Where things lie in the store's file.
 *
 * <pre>
 *  0      superblock, first copy
 *  4096   superblock, second copy
 *  8192   lease
 *  8704   lease of pending files
 *  12288  nothing
 *  16384  journal, journalBytes
 *         file table, one entry a slot: a slot belongs to one file, so there are never more files
 *         slot table
 *         slots, from a multiple of the block size on
 *         pending table, one entry a file
 * </pre>
 *
 * Table entries are packed into sectors of 512 bytes and never cross one, so that a disk which
 * writes sectors whole writes entries whole.
 *
 * @param blockBytes bytes of a slot, a block size of {@link BlockGeometry}
 * @param slotCount 1 to {@link #MAX_SLOTS}
 * @param journalBytes a multiple of 4096, at least {@link #MIN_JOURNAL_BYTES}
 */
public record StoreGeometry(int blockBytes, int slotCount, long journalBytes) {
    static final int SUPERBLOCK_BYTES = 4096;
    static final int JOURNAL_BLOCK_BYTES = 4096;
    static final int SECTOR_BYTES = 512;
    static final int TABLE_PAGE_BYTES = 4096;
    static final long LEASE_OFFSET = 2L * SUPERBLOCK_BYTES;
    static final long PENDING_LEASE_OFFSET = LEASE_OFFSET + SECTOR_BYTES;
    static final long JOURNAL_OFFSET = 4L * SUPERBLOCK_BYTES;
    static final int FILE_ENTRY_BYTES = 64;
    static final int SLOT_ENTRY_FIXED_BYTES = 32;
    static final int PENDING_ENTRY_BYTES = 64;

    /** More would need more memory for the index than machines have (24 GiB). */
    public static final int MAX_SLOTS = 1 << 30;

    public static final long MIN_JOURNAL_BYTES = 1L << 20;

    /** A fold holds the distinct slots of a whole journal in memory, some 20 MB of this one. */
    public static final long MAX_JOURNAL_BYTES = 16L << 20;

    public StoreGeometry {
        if (!BlockGeometry.isBlockSize(blockBytes)) {
            throw new IllegalArgumentException(
                    "block size must be a power of two from 8K to 128K, not " + blockBytes);
        }
        if (slotCount < 1 || slotCount > MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "a store has 1 to " + MAX_SLOTS + " slots, not " + slotCount);
        }
        if (journalBytes < MIN_JOURNAL_BYTES
                || journalBytes > MAX_JOURNAL_BYTES
                || journalBytes % JOURNAL_BLOCK_BYTES != 0) {
            throw new IllegalArgumentException(
                    "journal size must be a multiple of 4K from 1M to 16M, not " + journalBytes);
        }
    }

    /**
     * The store with the most slots that fits, with its tables and journal, in a file of a size.
     *
     * @throws IllegalArgumentException saying why, if the size is too small or too large
     */
    public static StoreGeometry forSize(long cacheBytes, int blockBytes) {
        long journalBytes =
                Math.max(MIN_JOURNAL_BYTES, Math.min(MAX_JOURNAL_BYTES, cacheBytes / 64))
                        / JOURNAL_BLOCK_BYTES
                        * JOURNAL_BLOCK_BYTES;
        long most = (cacheBytes - JOURNAL_OFFSET - journalBytes) / blockBytes;
        if (most < 1) {
            throw new IllegalArgumentException(
                    "a cache of " + cacheBytes + " bytes is too small; the least is 2M");
        }
        if (most > MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "a cache has at most "
                            + MAX_SLOTS
                            + " blocks; use a larger block size, or at most "
                            + (long) MAX_SLOTS * blockBytes
                            + " bytes");
        }
        long fewest = 0;
        while (fewest < most) {
            long middle = (fewest + most + 1) / 2;
            if (new StoreGeometry(blockBytes, (int) middle, journalBytes).totalBytes()
                    <= cacheBytes) {
                fewest = middle;
            } else {
                most = middle - 1;
            }
        }
        return new StoreGeometry(blockBytes, (int) fewest, journalBytes);
    }

    public int pagesPerBlock() {
        return blockBytes / BlockGeometry.PAGE_BYTES;
    }

    public int journalBlocks() {
        return (int) (journalBytes / JOURNAL_BLOCK_BYTES);
    }

    public long fileTableOffset() {
        return JOURNAL_OFFSET + journalBytes;
    }

    public long slotTableOffset() {
        return fileTableOffset() + tableBytes(FILE_ENTRY_BYTES);
    }

    public long slotsOffset() {
        return roundUp(slotTableOffset() + tableBytes(slotEntryBytes()), blockBytes);
    }

    public long slotOffset(int slot) {
        if (slot < 0 || slot >= slotCount) {
            throw new IllegalArgumentException("no slot " + slot + " of " + slotCount);
        }
        return slotsOffset() + (long) slot * blockBytes;
    }

    /** Also the end of the slots, and of stores that were made without this table. */
    public long pendingTableOffset() {
        return slotsOffset() + (long) slotCount * blockBytes;
    }

    public long totalBytes() {
        return pendingTableOffset() + pendingTableBytes();
    }

    long pendingTableBytes() {
        return tableBytes(PENDING_ENTRY_BYTES);
    }

    int slotEntryBytes() {
        return SLOT_ENTRY_FIXED_BYTES + Integer.BYTES * pagesPerBlock();
    }

    private long tableBytes(int entryBytes) {
        int entriesPerSector = SECTOR_BYTES / entryBytes;
        long sectors = (slotCount + entriesPerSector - 1L) / entriesPerSector;
        return roundUp(sectors * SECTOR_BYTES, TABLE_PAGE_BYTES);
    }

    private static long roundUp(long bytes, int multiple) {
        return (bytes + multiple - 1) / multiple * multiple;
    }
}
