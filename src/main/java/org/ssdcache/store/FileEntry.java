package org.ssdcache.store;

import java.nio.ByteBuffer;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;

/**
 * One entry of the file table, and its codec.
 *
 * @param createdSequence the record that gave the number to this file; slots mapped before belong
 *     to an earlier file of the same number
 */
record FileEntry(FileId id, FileFacts facts, long createdSequence) {
    static final int BYTES = StoreGeometry.FILE_ENTRY_BYTES;

    private static final int FLAGS = 4;
    private static final int FLAG_LIVE = 1;

    /** The entry at a place in a buffer of entries; null if the number has no file. */
    static FileEntry decode(ByteBuffer from, int at, int file) {
        if (!isLive(from, at, file)) {
            return null;
        }
        return new FileEntry(
                new FileId(from.getLong(at + 8), from.getLong(at + 16), from.getLong(at + 24)),
                new FileFacts(from.getLong(at + 32), from.getLong(at + 40), from.getLong(at + 48)),
                from.getLong(at + 56));
    }

    private static boolean isLive(ByteBuffer from, int at, int file) {
        return from.getInt(at + FLAGS) == FLAG_LIVE && from.getInt(at) == crc(from, at, file);
    }

    void encode(ByteBuffer to, int at, int file) {
        to.putInt(at + FLAGS, FLAG_LIVE);
        to.putLong(at + 8, id.device()).putLong(at + 16, id.inode());
        to.putLong(at + 24, id.generation()).putLong(at + 32, facts.sizeBytes());
        to.putLong(at + 40, facts.modifiedNanos()).putLong(at + 48, facts.changedNanos());
        to.putLong(at + 56, createdSequence);
        to.putInt(at, crc(to, at, file));
    }

    static void encodeFree(ByteBuffer to, int at) {
        Buffers.zero(to, at, at + BYTES);
    }

    /** The number goes in, so that an entry in another's place does not count. */
    private static int crc(ByteBuffer buffer, int at, int file) {
        return Buffers.crc(buffer, at + FLAGS, at + BYTES) + file;
    }
}
