package org.ssdcache.store;

import java.nio.ByteBuffer;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.store.StoreException.Reason;

/**
 * One record of the journal: how it is written, and its fields once read. One object is read into
 * again and again, so that a replay makes no garbage.
 *
 * <p>Each record begins with its type as an int. Its sequence is not stored: it is the number of
 * the first record of the journal block plus the record's place in it.
 */
final class JournalRecord {
    static final int MAP = 1;
    static final int FREE = 2;
    static final int FILE = 3;
    static final int DROP = 4;
    static final int INTENT = 5;
    static final int KEPT_INTENT = 6;
    static final int MOVE = 7;
    static final int PENDING = 8;
    static final int SETTLED = 9;

    static final int FREE_BYTES = 8;
    static final int FILE_BYTES = 56;
    static final int DROP_BYTES = 8;
    static final int INTENT_BYTES = 12;
    static final int SETTLED_BYTES = 8;

    private static final int MOVE_FIXED_BYTES = 28;
    private static final int PENDING_FIXED_BYTES = 40;

    int type;
    int slot;

    /** The slot that holds nothing any more, in MOVE. */
    int fromSlot;

    int file;
    int block;
    int validPages;
    int dirtyPages;
    int changedPages;
    int region;
    FileId id;
    FileFacts facts;
    PendingAttributes attributes;

    /** By page, of the changed pages. */
    final int[] checksums = new int[Integer.SIZE];

    static int mapBytes(int changedPages) {
        return 28 + Integer.BYTES * Integer.bitCount(changedPages);
    }

    static void putMap(
            ByteBuffer to,
            int slot,
            int file,
            int block,
            int validPages,
            int dirtyPages,
            int changedPages,
            int[] checksums) {
        to.putInt(MAP).putInt(slot).putInt(file).putInt(block);
        to.putInt(validPages).putInt(dirtyPages).putInt(changedPages);
        for (int rest = changedPages; rest != 0; rest &= rest - 1) {
            to.putInt(checksums[Integer.numberOfTrailingZeros(rest)]);
        }
    }

    static int moveBytes(int validPages) {
        return MOVE_FIXED_BYTES + Integer.BYTES * Integer.bitCount(validPages);
    }

    static void putMove(
            ByteBuffer to,
            int fromSlot,
            int toSlot,
            int file,
            int block,
            int validPages,
            int dirtyPages,
            int[] checksums) {
        to.putInt(MOVE).putInt(fromSlot).putInt(toSlot).putInt(file).putInt(block);
        to.putInt(validPages).putInt(dirtyPages);
        for (int rest = validPages; rest != 0; rest &= rest - 1) {
            to.putInt(checksums[Integer.numberOfTrailingZeros(rest)]);
        }
    }

    static int pendingBytes(int handleBytes) {
        return PENDING_FIXED_BYTES + handleBytes;
    }

    static void putPending(ByteBuffer to, int file, PendingAttributes attributes, byte[] handle) {
        to.putInt(PENDING).putInt(file).putLong(attributes.sizeBytes());
        to.putLong(attributes.modifiedNanos()).putLong(attributes.changedNanos());
        to.putInt(attributes.locator().handleType()).putInt(handle.length).put(handle);
    }

    static void putSettled(ByteBuffer to, int file) {
        to.putInt(SETTLED).putInt(file);
    }

    static void putFree(ByteBuffer to, int slot) {
        to.putInt(FREE).putInt(slot);
    }

    static void putFile(ByteBuffer to, int file, FileId id, FileFacts facts) {
        to.putInt(FILE).putInt(file);
        to.putLong(id.device()).putLong(id.inode()).putLong(id.generation());
        to.putLong(facts.sizeBytes()).putLong(facts.modifiedNanos()).putLong(facts.changedNanos());
    }

    static void putDrop(ByteBuffer to, int file) {
        to.putInt(DROP).putInt(file);
    }

    static void putIntent(ByteBuffer to, int type, int file, int region) {
        to.putInt(type).putInt(file).putInt(region);
    }

    /**
     * Reads the record at the buffer's position.
     *
     * @throws StoreException {@link Reason#DAMAGED} if it is none, or names what the store has not
     */
    void read(ByteBuffer from, StoreGeometry geometry) throws StoreException {
        require(from.remaining() >= FREE_BYTES, "is cut short");
        type = from.getInt();
        require(type >= MAP && type <= SETTLED, "has unknown type " + type);
        int number = from.getInt();
        require(number >= 0 && number < geometry.slotCount(), "names number " + number);
        switch (type) {
            case MAP -> readMap(from, number, geometry);
            case FREE -> slot = number;
            case FILE -> readFile(from, number);
            case DROP, SETTLED -> file = number;
            case MOVE -> readMove(from, number, geometry);
            case PENDING -> readPending(from, number);
            default -> readIntent(from, number);
        }
    }

    private void readMap(ByteBuffer from, int number, StoreGeometry geometry)
            throws StoreException {
        require(from.remaining() >= mapBytes(0) - FREE_BYTES, "is cut short");
        slot = number;
        readBlock(from);
        changedPages = from.getInt();
        checkPages(geometry);
        readChecksums(from);
    }

    private void readMove(ByteBuffer from, int number, StoreGeometry geometry)
            throws StoreException {
        require(from.remaining() >= MOVE_FIXED_BYTES - FREE_BYTES, "is cut short");
        fromSlot = number;
        slot = from.getInt();
        readBlock(from);
        changedPages = validPages;
        require(slot >= 0 && slot < geometry.slotCount(), "names number " + slot);
        require(slot != fromSlot, "moves a block to where it is");
        checkPages(geometry);
        readChecksums(from);
    }

    private void readBlock(ByteBuffer from) {
        file = from.getInt();
        block = from.getInt();
        validPages = from.getInt();
        dirtyPages = from.getInt();
    }

    private void checkPages(StoreGeometry geometry) throws StoreException {
        int pages = geometry.pagesPerBlock();
        int all = pages == Integer.SIZE ? -1 : (1 << pages) - 1;
        require(file >= 0 && file < geometry.slotCount() && block >= 0, "names no block");
        require((validPages & ~all) == 0, "has pages that no block has");
        require(((dirtyPages | changedPages) & ~validPages) == 0, "changes pages it has not");
    }

    private void readChecksums(ByteBuffer from) throws StoreException {
        int bytes = Integer.BYTES * Integer.bitCount(changedPages);
        require(from.remaining() >= bytes, "is cut short");
        for (int rest = changedPages; rest != 0; rest &= rest - 1) {
            checksums[Integer.numberOfTrailingZeros(rest)] = from.getInt();
        }
    }

    private void readPending(ByteBuffer from, int number) throws StoreException {
        require(from.remaining() >= PENDING_FIXED_BYTES - FREE_BYTES, "is cut short");
        file = number;
        long sizeBytes = from.getLong();
        long modifiedNanos = from.getLong();
        long changedNanos = from.getLong();
        int handleType = from.getInt();
        int handleBytes = from.getInt();
        require(
                handleBytes >= 0 && handleBytes <= FileLocator.MAX_BYTES,
                "has a file handle of " + handleBytes + " bytes");
        require(from.remaining() >= handleBytes, "is cut short");
        byte[] handle = new byte[handleBytes];
        from.get(handle);
        attributes =
                new PendingAttributes(
                        sizeBytes,
                        modifiedNanos,
                        changedNanos,
                        new FileLocator(handleType, handle));
    }

    private void readFile(ByteBuffer from, int number) throws StoreException {
        require(from.remaining() >= FILE_BYTES - FREE_BYTES, "is cut short");
        file = number;
        id = new FileId(from.getLong(), from.getLong(), from.getLong());
        facts = new FileFacts(from.getLong(), from.getLong(), from.getLong());
    }

    private void readIntent(ByteBuffer from, int number) throws StoreException {
        require(from.remaining() >= INTENT_BYTES - FREE_BYTES, "is cut short");
        file = number;
        region = from.getInt();
    }

    private static void require(boolean holds, String what) throws StoreException {
        if (!holds) {
            throw new StoreException(Reason.DAMAGED, "a journal record " + what);
        }
    }
}
