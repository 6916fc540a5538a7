package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.ErrnoException;

/**
 * What the file layer asks of a cache: files are opened, read, written, resized, synced and closed.
 * Many threads may call at once.
 */
public interface FileCache {
    /** Asks the backing filesystem for a file's length and times. */
    @FunctionalInterface
    interface FactsSource {
        FileFacts facts() throws IOException;
    }

    /**
     * A regular file is opened that was not open. Its blocks from earlier are kept if nobody else
     * changed the file since.
     *
     * @param locator what finds the file again without a name
     * @param data the file's bytes; closed by {@link #close(CachedFile, FileFacts)}
     * @param facts what the file is like now
     * @param source asks for the same again, later
     * @throws ErrnoException EIO if somebody else changed a file that has dirty blocks
     */
    CachedFile open(
            FileId id, FileLocator locator, BlockFile data, FileFacts facts, FactsSource source)
            throws IOException;

    /**
     * A file that is open is opened once more.
     *
     * @param facts what the file is like now
     * @return whether it is as the daemon left it, so that the kernel's pages are right too
     */
    boolean reopened(CachedFile file, FileFacts facts);

    /** One of the file's openers closed it: close(2), which other handles may outlive. */
    void flushed(CachedFile file) throws IOException;

    /**
     * The last handle of the file is gone. Fills that its last readers left behind are waited for.
     *
     * @param after what the file is like now
     * @return whether the file is as the daemon left it
     */
    boolean close(CachedFile file, FileFacts after) throws IOException;

    /**
     * Reads, from the cache where it can.
     *
     * @param task who reads, for telling streams apart; a thread id
     * @param reply gets the bytes exactly once, unless an exception is thrown
     */
    void read(CachedFile file, long offsetBytes, int lengthBytes, int task, ReadReply reply)
            throws IOException;

    /** Writes all of the buffer's remaining bytes. */
    void write(CachedFile file, ByteBuffer source, long offsetBytes, int task) throws IOException;

    void truncate(CachedFile file, long sizeBytes) throws IOException;

    /** fallocate(2); see {@link BlockFile#allocate}. */
    void allocate(CachedFile file, int mode, long offsetBytes, long lengthBytes) throws IOException;

    /**
     * Makes the file durable: on the backing what went there, in the journal what is dirty.
     *
     * @param dataOnly fdatasync instead of fsync
     * @param nameIsDurable whether the file's names have not changed since the last sync
     */
    void sync(CachedFile file, boolean dataOnly, boolean nameIsDurable) throws IOException;

    /**
     * Makes durable what is dirty of a file that is about to take the place of another one.
     *
     * @throws ErrnoException EIO if the cache cannot
     */
    void secure(FileId id) throws ErrnoException;

    /**
     * What applications made of a file that the backing does not have as it is; null if it has. To
     * be asked before the backing is: what it does not say any more, the backing does.
     */
    FileFacts pendingFacts(FileId id);

    /**
     * What the mount shows of a file: what applications made of it, whether the backing has that
     * yet or not.
     *
     * @param onBacking what the file is like there
     */
    FileFacts shown(FileId id, FileFacts onBacking);

    /** An application set the file's time of modification. */
    void modifiedSet(FileId id, long modifiedNanos);

    /** Whether something of the file is remembered. */
    boolean holds(FileId id);

    /** The daemon itself changed a file's attributes or names while it was not open. */
    void attributesChanged(FileId id, FileFacts before, FileFacts after);

    /** The file's last name and last handle are gone. */
    void deleted(FileId id);

    /**
     * Takes over a file that is open, from another cache that has given it up. No other call
     * concerns the file meanwhile.
     *
     * @param facts what the file is like now
     */
    void adopt(CachedFile file, FileFacts facts) throws IOException;

    /**
     * Gives up a file that stays open, so that another cache can take it over. Nothing of it may be
     * dirty, and no other call concerns it meanwhile.
     *
     * @param facts what the file is like now
     */
    void giveUp(CachedFile file, FileFacts facts);
}
