package org.ssdcache.backing;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.FileFacts;
import org.ssdcache.io.BlockFile;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;

/** The data of one file in the backing directory, with every byte and every error counted. */
public final class BackingFile implements Closeable {
    /** Asks the backing filesystem for a file's length and times. */
    @FunctionalInterface
    public interface FactsSource {
        FileFacts facts() throws IOException;
    }

    private final BlockFile data;
    private final FactsSource facts;
    private final Counters counters;

    public BackingFile(BlockFile data, FactsSource facts, Counters counters) {
        this.data = data;
        this.facts = facts;
        this.counters = counters;
    }

    /** Reads until the buffer is full or the file ends; returns the bytes read. */
    public int read(ByteBuffer target, long offsetBytes) throws IOException {
        try {
            int lengthBytes = data.read(target, offsetBytes);
            counters.add(Counter.BACKING_READ_BYTES, lengthBytes);
            return lengthBytes;
        } catch (IOException e) {
            throw counted(e);
        }
    }

    public void write(ByteBuffer source, long offsetBytes) throws IOException {
        int lengthBytes = source.remaining();
        try {
            data.write(source, offsetBytes);
        } catch (IOException e) {
            throw counted(e);
        }
        counters.add(Counter.BACKING_WRITTEN_BYTES, lengthBytes);
    }

    public void truncate(long sizeBytes) throws IOException {
        try {
            data.truncate(sizeBytes);
        } catch (IOException e) {
            throw counted(e);
        }
    }

    /** Sets the modification time, in nanoseconds since 1970. */
    public void setModified(long modifiedNanos) throws IOException {
        try {
            data.setModified(modifiedNanos);
        } catch (IOException e) {
            throw counted(e);
        }
    }

    /** fallocate(2); see {@link BlockFile#allocate}. */
    public void allocate(int mode, long offsetBytes, long lengthBytes) throws IOException {
        data.allocate(mode, offsetBytes, lengthBytes);
    }

    /**
     * Makes what was written durable.
     *
     * @param dataOnly fdatasync instead of fsync
     */
    public void sync(boolean dataOnly) throws IOException {
        try {
            if (dataOnly) {
                data.syncData();
            } else {
                data.sync();
            }
        } catch (IOException e) {
            throw counted(e);
        }
    }

    public long sizeBytes() throws IOException {
        return data.sizeBytes();
    }

    /** The space that the file has; see {@link BlockFile#allocatedBytes}. */
    public long allocatedBytes() throws IOException {
        return data.allocatedBytes();
    }

    public FileFacts facts() throws IOException {
        return facts.facts();
    }

    /** The range is in the cache now, so the kernel need not keep a second copy of it. */
    public void forgetPages(long offsetBytes, long lengthBytes) {
        data.forgetPages(offsetBytes, lengthBytes);
    }

    /** Lets the disk begin with what was written, while the next bytes are prepared. */
    public void startWriteback(long offsetBytes, long lengthBytes) throws IOException {
        data.startWriteback(offsetBytes, lengthBytes);
    }

    @Override
    public void close() throws IOException {
        data.close();
    }

    private IOException counted(IOException e) {
        counters.add(Counter.BACKING_ERRORS, 1);
        return e;
    }
}
