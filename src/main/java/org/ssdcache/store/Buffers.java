package org.ssdcache.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Buffers and checksums in the store's byte order. */
final class Buffers {
    private Buffers() {}

    /** A direct little-endian buffer of zeros. */
    static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** CRC32C of a range; position and limit are as before afterwards. */
    static int crc(ByteBuffer buffer, int from, int to) {
        int position = buffer.position();
        int limit = buffer.limit();
        CRC32C crc = new CRC32C();
        crc.update(buffer.limit(to).position(from));
        buffer.limit(limit).position(position);
        return (int) crc.getValue();
    }

    static boolean isZero(ByteBuffer buffer, int from, int to) {
        for (int at = from; at < to; at++) {
            if (buffer.get(at) != 0) {
                return false;
            }
        }
        return true;
    }

    static void zero(ByteBuffer buffer, int from, int to) {
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            buffer.putLong(at, 0);
        }
        for (; at < to; at++) {
            buffer.put(at, (byte) 0);
        }
    }
}
