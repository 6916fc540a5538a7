package org.ssdcache.mount;

import java.nio.ByteBuffer;
import org.ssdcache.file.DirectorySink;

/**
 * Directory entries in the kernel's format: struct fuse_dirent (inode 8 bytes, next offset 8, name
 * length 4, type 4, name), each padded to 8 bytes. The same in every version of the protocol.
 */
final class DirectoryEntries implements DirectorySink {
    private static final int HEADER_BYTES = 24;

    private final ByteBuffer target;

    /** Appends to a buffer of the machine's byte order. */
    DirectoryEntries(ByteBuffer target) {
        this.target = target;
    }

    @Override
    public boolean entry(long inode, long nextOffset, int type, ByteBuffer name) {
        int lengthBytes = HEADER_BYTES + name.remaining();
        int paddedBytes = (lengthBytes + 7) & ~7;
        if (target.remaining() < paddedBytes) {
            return false;
        }
        target.putLong(inode).putLong(nextOffset).putInt(name.remaining()).putInt(type);
        target.put(name);
        for (int i = lengthBytes; i < paddedBytes; i++) {
            target.put((byte) 0);
        }
        return true;
    }
}
