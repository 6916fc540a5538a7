package org.ssdcache.io;

import com.kenai.jffi.MemoryIO;
import java.nio.ByteBuffer;

/** Raw native memory for structures that cross into C. Addresses are trusted, as in C. */
public final class NativeMemory {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private NativeMemory() {}

    /** Zeroed memory that lives as long as the process. */
    public static long allocateForever(int lengthBytes) {
        return MEMORY.allocateMemory(lengthBytes, true);
    }

    /** A copy of a C string, with its final NUL. */
    public static byte[] copyCString(long address) {
        int length = (int) MEMORY.getStringLength(address);
        byte[] copy = new byte[length + 1];
        MEMORY.getByteArray(address, copy, 0, length);
        return copy;
    }

    /** Memory owned by somebody else, seen as a buffer; valid only as long as that memory is. */
    public static ByteBuffer view(long address, int lengthBytes) {
        return MEMORY.newDirectByteBuffer(address, lengthBytes);
    }

    public static void clear(long address, int lengthBytes) {
        MEMORY.setMemory(address, lengthBytes, (byte) 0);
    }

    public static byte getByte(long address) {
        return MEMORY.getByte(address);
    }

    public static void putByte(long address, byte value) {
        MEMORY.putByte(address, value);
    }

    public static short getShort(long address) {
        return MEMORY.getShort(address);
    }

    public static int getInt(long address) {
        return MEMORY.getInt(address);
    }

    public static void putInt(long address, int value) {
        MEMORY.putInt(address, value);
    }

    public static long getLong(long address) {
        return MEMORY.getLong(address);
    }

    public static void putLong(long address, long value) {
        MEMORY.putLong(address, value);
    }

    public static void putDouble(long address, double value) {
        MEMORY.putDouble(address, value);
    }

    public static void getBytes(long address, byte[] target, int from, int lengthBytes) {
        MEMORY.getByteArray(address, target, from, lengthBytes);
    }

    public static void putBytes(long address, byte[] source) {
        MEMORY.putByteArray(address, source, 0, source.length);
    }
}
