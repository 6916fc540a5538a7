package org.ssdcache.io;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** A file of the operating system, by descriptor. */
public final class NativeBlockFile implements BlockFile {
    private final int fd;
    private final String name;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Takes over the descriptor.
     *
     * @param name what error messages call the file
     */
    public NativeBlockFile(int fd, String name) {
        this.fd = fd;
        this.name = name;
    }

    /** open(2) with O_CLOEXEC added. */
    public static NativeBlockFile open(String path, int flags, int mode) throws ErrnoException {
        return new NativeBlockFile(Posix.open(path, flags, mode), path);
    }

    /** The descriptor, still owned by this object. */
    public int fd() {
        return fd;
    }

    @Override
    public int read(ByteBuffer target, long offsetBytes) throws IOException {
        int start = target.position();
        try {
            while (target.hasRemaining()) {
                int done = target.position() - start;
                int count =
                        Posix.pread(
                                fd,
                                DirectBuffers.addressOf(target),
                                target.remaining(),
                                offsetBytes + done);
                if (count == 0) {
                    break;
                }
                target.position(target.position() + count);
            }
        } catch (ErrnoException e) {
            throw named(e);
        } finally {
            Reference.reachabilityFence(target);
        }
        return target.position() - start;
    }

    @Override
    public void write(ByteBuffer source, long offsetBytes) throws IOException {
        long offset = offsetBytes;
        try {
            while (source.hasRemaining()) {
                int count =
                        Posix.pwrite(
                                fd, DirectBuffers.addressOf(source), source.remaining(), offset);
                source.position(source.position() + count);
                offset += count;
            }
        } catch (ErrnoException e) {
            throw named(e);
        } finally {
            Reference.reachabilityFence(source);
        }
    }

    @Override
    public void syncData() throws IOException {
        try {
            Posix.fdatasync(fd);
        } catch (ErrnoException e) {
            throw named(e);
        }
    }

    @Override
    public void sync() throws IOException {
        try {
            Posix.fsync(fd);
        } catch (ErrnoException e) {
            throw named(e);
        }
    }

    @Override
    public long sizeBytes() throws IOException {
        return Posix.status(fd).sizeBytes();
    }

    @Override
    public long allocatedBytes() throws IOException {
        return Posix.status(fd).allocatedBytes();
    }

    @Override
    public void setModified(long modifiedNanos) throws IOException {
        try {
            Posix.setModified(fd, modifiedNanos);
        } catch (ErrnoException e) {
            throw named(e);
        }
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
        try {
            Posix.ftruncate(fd, sizeBytes);
        } catch (ErrnoException e) {
            throw named(e);
        }
    }

    @Override
    public void allocate(int mode, long offsetBytes, long lengthBytes) throws IOException {
        try {
            Posix.fallocate(fd, mode, offsetBytes, lengthBytes);
        } catch (ErrnoException e) {
            throw named(e);
        }
    }

    @Override
    public void forgetPages(long offsetBytes, long lengthBytes) {
        Posix.forgetPages(fd, offsetBytes, lengthBytes);
    }

    @Override
    public void expectPages(long offsetBytes, long lengthBytes) {
        Posix.expectPages(fd, offsetBytes, lengthBytes);
    }

    @Override
    public void startWriteback(long offsetBytes, long lengthBytes) throws IOException {
        Posix.startWriteback(fd, offsetBytes, lengthBytes);
    }

    /** Closes the descriptor once; a second call does nothing. */
    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            Posix.close(fd);
        }
    }

    @Override
    public String toString() {
        return name;
    }

    private ErrnoException named(ErrnoException e) {
        ErrnoException named = new ErrnoException(e.errno(), name + ": " + e.getMessage());
        named.initCause(e);
        return named;
    }
}
