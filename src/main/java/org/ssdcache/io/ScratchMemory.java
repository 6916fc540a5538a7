package org.ssdcache.io;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Zeroed native memory that lives as long as this object. */
public final class ScratchMemory {
    private final ByteBuffer buffer;
    private final long address;

    public ScratchMemory(int lengthBytes) {
        buffer = ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
        address = DirectBuffers.addressOf(buffer);
    }

    public long address() {
        return address;
    }

    /** The same memory as a little-endian buffer; position and limit are shared by all users. */
    public ByteBuffer buffer() {
        return buffer;
    }
}
