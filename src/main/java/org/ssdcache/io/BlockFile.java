package org.ssdcache.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Positional I/O on one open file: the seam between the cache and a disk.
 *
 * <p>Buffers are direct; data moves between their position and limit and the position advances by
 * what was moved. All methods may be called by many threads at once. Every failure of the disk is
 * an {@link ErrnoException}.
 */
public interface BlockFile extends Closeable {
    /**
     * Reads until the buffer is full or the file ends.
     *
     * @return bytes read; fewer than asked for only at the end of the file
     */
    int read(ByteBuffer target, long offsetBytes) throws IOException;

    /** Writes the whole buffer, at once visible to {@link #read}, durable after the next sync. */
    void write(ByteBuffer source, long offsetBytes) throws IOException;

    /** Makes written data, and the size needed to read it back, durable (fdatasync). */
    void syncData() throws IOException;

    /** Makes data and all attributes durable (fsync). */
    void sync() throws IOException;

    long sizeBytes() throws IOException;

    /**
     * The space that the file has on its disk; a file with holes has less than its length. Some
     * filesystems count a little more than the data, or round up.
     */
    long allocatedBytes() throws IOException;

    void truncate(long sizeBytes) throws IOException;

    /**
     * Sets the time of the last modification and leaves that of the last access alone.
     *
     * @param modifiedNanos nanoseconds since 1970
     */
    void setModified(long modifiedNanos) throws IOException;

    /**
     * fallocate(2).
     *
     * @param mode the call's own bits: 0 allocate, 1 keep size, 2 punch hole, 16 zero range
     */
    void allocate(int mode, long offsetBytes, long lengthBytes) throws IOException;

    /**
     * Advice that clean pages of the range need not stay in the kernel's page cache; length 0 means
     * to the end of the file.
     */
    void forgetPages(long offsetBytes, long lengthBytes);

    /** Advice that the range will be read soon; returns at once and may do nothing. */
    default void expectPages(long offsetBytes, long lengthBytes) {}

    /**
     * Begins to bring written bytes to the disk, so that it works while the caller prepares the
     * next ones. That they arrive is only promised by the next sync; does nothing where the system
     * has no such call.
     *
     * @throws IOException if the bytes could not be handed over; the next sync need not tell of it
     */
    default void startWriteback(long offsetBytes, long lengthBytes) throws IOException {}

    @Override
    void close() throws IOException;
}
