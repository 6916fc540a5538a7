package org.ssdcache.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.NativeBlockFile;
import org.ssdcache.io.OpenFlags;

/**
 * The data of one backing file, shared by all its handles.
 *
 * <p>Opened for reading and writing where that is allowed, whatever the first handle asks for. A
 * daemon that is not root may meet a file that it may only read; if it becomes writable while it is
 * open, a second descriptor is added for writes.
 */
final class DataFile implements BlockFile {
    private final NativeBlockFile reader;

    /** The same file as the reader, or a second descriptor, or null while it cannot be written. */
    private volatile NativeBlockFile writer;

    private DataFile(NativeBlockFile reader, NativeBlockFile writer) {
        this.reader = reader;
        this.writer = writer;
    }

    /** Takes over a descriptor that is open for reading and writing. */
    static DataFile of(int readWriteFd, Inode inode) {
        NativeBlockFile file = new NativeBlockFile(readWriteFd, nameOf(inode));
        return new DataFile(file, file);
    }

    /**
     * Opens the file of an inode.
     *
     * @param accessMode O_RDONLY, O_WRONLY or O_RDWR: what must be possible at least
     */
    static DataFile open(Inode inode, int accessMode) throws ErrnoException {
        try {
            return of(inode.reopen(OpenFlags.O_RDWR), inode);
        } catch (ErrnoException e) {
            if (!isAboutAccess(e.errno())) {
                throw e;
            }
        }
        int fd = inode.reopen(accessMode);
        NativeBlockFile file = new NativeBlockFile(fd, nameOf(inode));
        return new DataFile(file, accessMode == OpenFlags.O_RDONLY ? null : file);
    }

    private static boolean isAboutAccess(int errno) {
        return errno == Errno.EACCES
                || errno == Errno.EPERM
                || errno == Errno.EROFS
                || errno == Errno.ETXTBSY;
    }

    private static String nameOf(Inode inode) {
        return "backing inode " + inode.fileId().inode();
    }

    /** Called under the inode's lock. */
    void makeWritable(Inode inode) throws ErrnoException {
        if (writer == null) {
            int fd = inode.reopen(OpenFlags.O_WRONLY);
            writer = new NativeBlockFile(fd, nameOf(inode));
        }
    }

    private NativeBlockFile writer() throws ErrnoException {
        NativeBlockFile current = writer;
        if (current == null) {
            throw new ErrnoException(Errno.EBADF, reader + " is open for reading only");
        }
        return current;
    }

    @Override
    public int read(ByteBuffer target, long offsetBytes) throws IOException {
        return reader.read(target, offsetBytes);
    }

    @Override
    public void write(ByteBuffer source, long offsetBytes) throws IOException {
        writer().write(source, offsetBytes);
    }

    @Override
    public void syncData() throws IOException {
        reader.syncData();
    }

    @Override
    public void sync() throws IOException {
        reader.sync();
    }

    @Override
    public long sizeBytes() throws IOException {
        return reader.sizeBytes();
    }

    @Override
    public long allocatedBytes() throws IOException {
        return reader.allocatedBytes();
    }

    @Override
    public void setModified(long modifiedNanos) throws IOException {
        writer().setModified(modifiedNanos);
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
        writer().truncate(sizeBytes);
    }

    @Override
    public void allocate(int mode, long offsetBytes, long lengthBytes) throws IOException {
        writer().allocate(mode, offsetBytes, lengthBytes);
    }

    @Override
    public void forgetPages(long offsetBytes, long lengthBytes) {
        reader.forgetPages(offsetBytes, lengthBytes);
    }

    @Override
    public void startWriteback(long offsetBytes, long lengthBytes) throws IOException {
        reader.startWriteback(offsetBytes, lengthBytes);
    }

    @Override
    public void close() throws IOException {
        NativeBlockFile second = writer;
        try {
            reader.close();
        } finally {
            if (second != null) {
                second.close();
            }
        }
    }

    @Override
    public String toString() {
        return reader.toString();
    }
}
