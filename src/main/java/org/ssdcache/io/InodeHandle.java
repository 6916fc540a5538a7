package org.ssdcache.io;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A name for an inode that no descriptor is needed to keep (name_to_handle_at(2)): it finds the
 * inode again for as long as the inode exists. Needs support by the filesystem and, for opening,
 * CAP_DAC_READ_SEARCH.
 */
public final class InodeHandle {
    /** struct file_handle: length and type, then at most MAX_HANDLE_SZ bytes. */
    private static final int HEADER_BYTES = 8;

    private static final int TYPE = 4;
    private static final int MAX_BYTES = 128;
    private static final int MOUNT_ID = HEADER_BYTES + MAX_BYTES;

    private static final ThreadLocal<ScratchMemory> SCRATCH =
            ThreadLocal.withInitial(() -> new ScratchMemory(MOUNT_ID + Integer.BYTES));

    private final byte[] bytes;
    private final int mountId;

    private InodeHandle(byte[] bytes, int mountId) {
        this.bytes = bytes;
        this.mountId = mountId;
    }

    /**
     * The handle of the inode behind a descriptor, which may be one opened O_PATH.
     *
     * @throws ErrnoException EOPNOTSUPP where the filesystem has no handles
     */
    public static InodeHandle of(int fd) throws ErrnoException {
        long handle = SCRATCH.get().address();
        NativeMemory.putInt(handle, MAX_BYTES);
        Posix.check(
                Posix.LIBC.name_to_handle_at(
                        fd, Posix.NO_NAME, handle, handle + MOUNT_ID, OpenFlags.AT_EMPTY_PATH),
                "name_to_handle_at");
        byte[] bytes = new byte[HEADER_BYTES + NativeMemory.getInt(handle)];
        NativeMemory.getBytes(handle, bytes, 0, bytes.length);
        return new InodeHandle(bytes, NativeMemory.getInt(handle + MOUNT_ID));
    }

    /**
     * A handle that was kept: {@link #type} and {@link #body} of an earlier one.
     *
     * @param mountId of the mount that it will be opened with
     */
    public static InodeHandle of(int type, byte[] body, int mountId) {
        ByteBuffer bytes =
                ByteBuffer.allocate(HEADER_BYTES + body.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(body.length).putInt(type).put(body);
        return new InodeHandle(bytes.array(), mountId);
    }

    /** The filesystem's own number for this kind of handle. */
    public int type() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(TYPE);
    }

    /** What the filesystem keeps in it. */
    public byte[] body() {
        return Arrays.copyOfRange(bytes, HEADER_BYTES, bytes.length);
    }

    /** Which mount the descriptor belonged to; opening needs a descriptor of the same one. */
    public int mountId() {
        return mountId;
    }

    /**
     * Opens the inode.
     *
     * @param mountFd any directory of the mount, opened for reading, not O_PATH
     * @throws ErrnoException ESTALE if the inode is gone, EPERM without the capability
     */
    public int open(int mountFd, int flags) throws ErrnoException {
        long handle = SCRATCH.get().address();
        NativeMemory.putBytes(handle, bytes);
        return Posix.check(
                Posix.LIBC.open_by_handle_at(mountFd, handle, flags | OpenFlags.O_CLOEXEC),
                "open_by_handle_at");
    }
}
