package org.ssdcache.store;

import java.nio.ByteBuffer;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
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

    static final int FREE_BYTES = 8;
    static final int FILE_BYTES = 56;
    static final int DROP_BYTES = 8;
    static final int INTENT_BYTES = 12;

    int type;
    int slot;
    int file;
    int block;
    int validPages;
    int dirtyPages;
    int changedPages;
    int region;
    FileId id;
    FileFacts facts;

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
        require(type >= MAP && type <= KEPT_INTENT, "has unknown type " + type);
        int number = from.getInt();
        require(number >= 0 && number < geometry.slotCount(), "names number " + number);
        switch (type) {
            case MAP -> readMap(from, number, geometry);
            case FREE -> slot = number;
            case FILE -> readFile(from, number);
            case DROP -> file = number;
            default -> readIntent(from, number);
        }
    }

    private void readMap(ByteBuffer from, int number, StoreGeometry geometry)
            throws StoreException {
        require(from.remaining() >= mapBytes(0) - FREE_BYTES, "is cut short");
        slot = number;
        file = from.getInt();
        block = from.getInt();
        validPages = from.getInt();
        dirtyPages = from.getInt();
        changedPages = from.getInt();
        int pages = geometry.pagesPerBlock();
        int all = pages == Integer.SIZE ? -1 : (1 << pages) - 1;
        require(file >= 0 && file < geometry.slotCount() && block >= 0, "names no block");
        require((validPages & ~all) == 0, "has pages that no block has");
        require(((dirtyPages | changedPages) & ~validPages) == 0, "changes pages it has not");
        require(from.remaining() >= mapBytes(changedPages) - mapBytes(0), "is cut short");
        for (int rest = changedPages; rest != 0; rest &= rest - 1) {
            checksums[Integer.numberOfTrailingZeros(rest)] = from.getInt();
        }
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
