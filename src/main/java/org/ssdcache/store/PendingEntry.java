package org.ssdcache.store;

import java.nio.ByteBuffer;
import org.ssdcache.block.FileLocator;
import org.ssdcache.block.PendingAttributes;

/** The codec of one entry of the pending table. */
final class PendingEntry {
    static final int BYTES = StoreGeometry.PENDING_ENTRY_BYTES;

    private static final int STATE = 4;
    private static final int HANDLE_BYTES = 6;
    private static final int SIZE = 8;
    private static final int MODIFIED = 16;
    private static final int CHANGED = 24;
    private static final int HANDLE_TYPE = 32;
    private static final int HANDLE = 36;
    private static final short SETTLED = 0;
    private static final short PENDING = 1;

    private PendingEntry() {}

    /** The entry at a place in a buffer of entries; null if nothing is pending of the file. */
    static PendingAttributes decode(ByteBuffer from, int at, int file) {
        if (isSettled(from, at) || !isWhole(from, at, file)) {
            return null;
        }
        return new PendingAttributes(
                statedSize(from, at),
                from.getLong(at + MODIFIED),
                from.getLong(at + CHANGED),
                statedLocator(from, at));
    }

    static boolean isSettled(ByteBuffer from, int at) {
        return from.getShort(at + STATE) == SETTLED;
    }

    /** Whether an entry that is not settled is as it was written. */
    static boolean isWhole(ByteBuffer from, int at, int file) {
        short handleBytes = from.getShort(at + HANDLE_BYTES);
        return from.getShort(at + STATE) == PENDING
                && handleBytes >= 0
                && handleBytes <= FileLocator.MAX_BYTES
                && from.getInt(at) == crc(from, at, file);
    }

    /** The size that an entry states, also a damaged one. */
    static long statedSize(ByteBuffer from, int at) {
        return from.getLong(at + SIZE);
    }

    /** The locator that an entry states, also a damaged one; none if it states nonsense. */
    static FileLocator statedLocator(ByteBuffer from, int at) {
        short handleBytes = from.getShort(at + HANDLE_BYTES);
        if (handleBytes < 0 || handleBytes > FileLocator.MAX_BYTES) {
            return FileLocator.NONE;
        }
        byte[] handle = new byte[handleBytes];
        from.get(at + HANDLE, handle);
        return new FileLocator(from.getInt(at + HANDLE_TYPE), handle);
    }

    static void encode(ByteBuffer to, int at, int file, PendingAttributes attributes) {
        encodeSettled(to, at);
        byte[] handle = attributes.locator().handle();
        to.putShort(at + STATE, PENDING).putShort(at + HANDLE_BYTES, (short) handle.length);
        to.putLong(at + SIZE, attributes.sizeBytes());
        to.putLong(at + MODIFIED, attributes.modifiedNanos());
        to.putLong(at + CHANGED, attributes.changedNanos());
        to.putInt(at + HANDLE_TYPE, attributes.locator().handleType());
        to.put(at + HANDLE, handle);
        to.putInt(at, crc(to, at, file));
    }

    static void encodeSettled(ByteBuffer to, int at) {
        Buffers.zero(to, at, at + BYTES);
    }

    /** The number goes in, so that an entry in another's place does not count. */
    private static int crc(ByteBuffer buffer, int at, int file) {
        return Buffers.crc(buffer, at + STATE, at + BYTES) + file;
    }
}
