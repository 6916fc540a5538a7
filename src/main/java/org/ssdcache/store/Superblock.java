package org.ssdcache.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.ssdcache.store.StoreException.Reason;

/**
 * The state of the store as a whole, and its codec.
 *
 * @param sequence grows with every superblock written
 * @param compatFeatures features that a version which does not know them may ignore; kept as found
 * @param writeback whether the store has a pending table, and its journal may say that blocks moved
 * @param tailBlock the first journal block that is not folded into the tables
 * @param checkpointSequence the first record that is not folded into the tables
 * @param filesUsed file numbers from here on were never used
 * @param pendingEnd file numbers from here on have nothing in the pending table
 * @param preparedSlots slots below this one were written once
 * @param clean the store was closed in order, and nothing was written since
 * @param bootId of the boot in which the store was last open
 */
record Superblock(
        long sequence,
        long compatFeatures,
        boolean writeback,
        StoreGeometry geometry,
        StoreIdentity identity,
        long tailBlock,
        long checkpointSequence,
        int filesUsed,
        int pendingEnd,
        int preparedSlots,
        boolean clean,
        String bootId) {
    static final int BYTES = StoreGeometry.SUPERBLOCK_BYTES;
    static final int FORMAT_VERSION = 1;

    /** "SSDCACHE"; it, the version and the checksum stay where they are in all versions. */
    private static final long MAGIC = 0x4548434143445353L;

    private static final int VERSION = 8;
    private static final int CRC = 12;
    private static final int SEQUENCE = 16;
    private static final int COMPAT = 24;
    private static final int INCOMPAT = 32;
    private static final int STORE_ID = 40;
    private static final int BACKING_ID = 48;
    private static final int BLOCK_BYTES = 56;
    private static final int SLOT_COUNT = 60;
    private static final int JOURNAL_BYTES = 64;
    private static final int FILE_TABLE = 72;
    private static final int SLOT_TABLE = 80;
    private static final int SLOTS = 88;
    private static final int TAIL_BLOCK = 96;
    private static final int CHECKPOINT_SEQUENCE = 104;
    private static final int FILES_USED = 112;
    private static final int FLAGS = 116;
    private static final int BOOT_ID = 120;
    private static final int BOOT_ID_BYTES = 64;
    private static final int PENDING_TABLE = 184;
    private static final int PENDING_END = 192;
    private static final int PREPARED_SLOTS = 196;

    /** Incompatible: a pending table, and MOVE, PENDING and SETTLED in the journal. */
    private static final long FEATURE_WRITEBACK = 1;

    private static final int FLAG_CLEAN = 1;

    Superblock {
        if (bootId.getBytes(StandardCharsets.US_ASCII).length > BOOT_ID_BYTES) {
            throw new IllegalArgumentException("boot id of more than 64 bytes: " + bootId);
        }
    }

    /** The superblock of an empty store. */
    static Superblock first(StoreGeometry geometry, StoreIdentity id) {
        return new Superblock(1, 0, true, geometry, id, 0, 1, 0, 0, 0, true, "");
    }

    /** The next superblock, with the journal folded up to a block and record. */
    Superblock next(
            long tail, long firstRecord, int files, int pending, boolean isClean, String boot) {
        return new Superblock(
                sequence + 1,
                compatFeatures,
                writeback,
                geometry,
                identity,
                tail,
                firstRecord,
                files,
                pending,
                preparedSlots,
                isClean,
                boot);
    }

    /** The same, of a store that has a pending table, as yet empty. */
    Superblock withWriteback() {
        return new Superblock(
                sequence,
                compatFeatures,
                true,
                geometry,
                identity,
                tailBlock,
                checkpointSequence,
                filesUsed,
                0,
                preparedSlots,
                clean,
                bootId);
    }

    /** The same, with slots below a number written once. */
    Superblock withPreparedSlots(int slots) {
        return new Superblock(
                sequence,
                compatFeatures,
                writeback,
                geometry,
                identity,
                tailBlock,
                checkpointSequence,
                filesUsed,
                pendingEnd,
                slots,
                clean,
                bootId);
    }

    /** Bytes that the store's file must have. */
    long fileBytes() {
        return writeback ? geometry.totalBytes() : geometry.pendingTableOffset();
    }

    ByteBuffer encode() {
        ByteBuffer to = Buffers.direct(BYTES);
        to.putLong(0, MAGIC).putInt(VERSION, FORMAT_VERSION);
        to.putLong(SEQUENCE, sequence).putLong(COMPAT, compatFeatures);
        to.putLong(INCOMPAT, writeback ? FEATURE_WRITEBACK : 0);
        to.putLong(STORE_ID, identity.storeId()).putLong(BACKING_ID, identity.backingId());
        to.putInt(BLOCK_BYTES, geometry.blockBytes()).putInt(SLOT_COUNT, geometry.slotCount());
        to.putLong(JOURNAL_BYTES, geometry.journalBytes());
        to.putLong(FILE_TABLE, geometry.fileTableOffset());
        to.putLong(SLOT_TABLE, geometry.slotTableOffset());
        to.putLong(SLOTS, geometry.slotsOffset());
        to.putLong(TAIL_BLOCK, tailBlock).putLong(CHECKPOINT_SEQUENCE, checkpointSequence);
        to.putInt(FILES_USED, filesUsed).putInt(FLAGS, clean ? FLAG_CLEAN : 0);
        to.put(BOOT_ID, bootId.getBytes(StandardCharsets.US_ASCII));
        to.putLong(PENDING_TABLE, writeback ? geometry.pendingTableOffset() : 0);
        to.putInt(PENDING_END, pendingEnd).putInt(PREPARED_SLOTS, preparedSlots);
        return to.putInt(CRC, Buffers.crc(to, 0, BYTES));
    }

    static boolean hasMagic(ByteBuffer from) {
        return from.getLong(0) == MAGIC;
    }

    static int version(ByteBuffer from) {
        return from.getInt(VERSION);
    }

    /** Whether every byte is as it was written, whatever version wrote it. */
    static boolean isWhole(ByteBuffer from) {
        int stored = from.getInt(CRC);
        from.putInt(CRC, 0);
        boolean whole = hasMagic(from) && stored == Buffers.crc(from, 0, BYTES);
        from.putInt(CRC, stored);
        return whole;
    }

    static long sequence(ByteBuffer from) {
        return from.getLong(SEQUENCE);
    }

    /**
     * @throws StoreException if a whole superblock is of a version or has a feature that is unknown
     *     here, or contradicts itself
     */
    static Superblock decode(ByteBuffer from) throws StoreException {
        checkKnown(from);
        StoreGeometry geometry;
        try {
            geometry =
                    new StoreGeometry(
                            from.getInt(BLOCK_BYTES),
                            from.getInt(SLOT_COUNT),
                            from.getLong(JOURNAL_BYTES));
        } catch (IllegalArgumentException e) {
            throw new StoreException(Reason.DAMAGED, "the superblock is wrong: " + e.getMessage());
        }
        boolean writeback = (from.getLong(INCOMPAT) & FEATURE_WRITEBACK) != 0;
        if (from.getLong(FILE_TABLE) != geometry.fileTableOffset()
                || from.getLong(SLOT_TABLE) != geometry.slotTableOffset()
                || from.getLong(SLOTS) != geometry.slotsOffset()
                || (writeback && from.getLong(PENDING_TABLE) != geometry.pendingTableOffset())) {
            throw new StoreException(
                    Reason.DAMAGED, "the superblock has its tables where they cannot be");
        }
        return new Superblock(
                from.getLong(SEQUENCE),
                from.getLong(COMPAT),
                writeback,
                geometry,
                new StoreIdentity(from.getLong(STORE_ID), from.getLong(BACKING_ID)),
                from.getLong(TAIL_BLOCK),
                from.getLong(CHECKPOINT_SEQUENCE),
                Math.min(from.getInt(FILES_USED), geometry.slotCount()),
                writeback ? Math.min(from.getInt(PENDING_END), geometry.slotCount()) : 0,
                Math.min(from.getInt(PREPARED_SLOTS), geometry.slotCount()),
                (from.getInt(FLAGS) & FLAG_CLEAN) != 0,
                bootId(from));
    }

    private static void checkKnown(ByteBuffer from) throws StoreException {
        int version = version(from);
        if (version != FORMAT_VERSION) {
            throw new StoreException(
                    Reason.NEWER_VERSION,
                    "the store has format version "
                            + version
                            + ", this program knows version "
                            + FORMAT_VERSION);
        }
        long incompat = from.getLong(INCOMPAT) & ~FEATURE_WRITEBACK;
        if (incompat != 0) {
            throw new StoreException(
                    Reason.UNKNOWN_FEATURE,
                    "the store uses features that this program does not know: 0x"
                            + Long.toHexString(incompat));
        }
    }

    private static String bootId(ByteBuffer from) {
        byte[] bytes = new byte[BOOT_ID_BYTES];
        from.get(BOOT_ID, bytes);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }
}
