package org.ssdcache.io;

import com.kenai.jffi.MemoryIO;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Direct buffers as I/O needs them. */
public final class DirectBuffers {
    /** What O_DIRECT asks for on every disk in use, and the size of a page. */
    public static final int ALIGNMENT_BYTES = 4096;

    private static final MemoryIO MEMORY = MemoryIO.getInstance();

    private DirectBuffers() {}

    /** A zeroed little-endian buffer whose first byte lies at the start of a page. */
    public static ByteBuffer allocateAligned(int lengthBytes) {
        ByteBuffer larger = ByteBuffer.allocateDirect(lengthBytes + ALIGNMENT_BYTES);
        int misalignedBytes = larger.alignmentOffset(0, ALIGNMENT_BYTES);
        int start = misalignedBytes == 0 ? 0 : ALIGNMENT_BYTES - misalignedBytes;
        return larger.slice(start, lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * The address of the byte at the buffer's position. The caller keeps the buffer reachable while
     * the address is in use.
     *
     * @throws IllegalArgumentException for a heap buffer
     */
    public static long addressOf(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("not a direct buffer: " + buffer);
        }
        return MEMORY.getDirectBufferAddress(buffer) + buffer.position();
    }
}
