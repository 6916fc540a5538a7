package org.ssdcache.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.StoreException.Reason;

/**
 * The store's file, and whether it may still be trusted with changes.
 *
 * <p>After a failed sync the kernel forgets which pages it could not write, and the next sync
 * succeeds: so the first failure of a sync, or of a write to journal, tables or superblock, ends
 * all changes until the store is opened again and has read what is really there. Reading slots goes
 * on.
 *
 * <p>Syncs take turns, because the kernel tells an error to one of two concurrent syncs only.
 */
final class StoreDisk {
    private final BlockFile file;
    private final Object syncTurn = new Object();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** The first reason, or null while all is well. */
    @GuardedBy("this")
    private StoreException refusal;

    private volatile boolean refusing;

    StoreDisk(BlockFile file) {
        this.file = file;
    }

    /**
     * @throws StoreException {@link Reason#FAILED} or {@link Reason#CLOSED}
     */
    void checkUsable() throws StoreException {
        if (refusing) {
            synchronized (this) {
                throw new StoreException(refusal.reason(), refusal.getMessage(), refusal);
            }
        }
    }

    /** Changes are refused from now on. */
    synchronized void fail(IOException cause) {
        refuse(new StoreException(Reason.FAILED, "the store failed: " + cause.getMessage(), cause));
    }

    synchronized void markClosed() {
        refuse(new StoreException(Reason.CLOSED, "the store is closed"));
    }

    @GuardedBy("this")
    private void refuse(StoreException reason) {
        if (refusal == null) {
            refusal = reason;
            refusing = true;
        }
    }

    /**
     * Fills the buffer.
     *
     * @throws StoreException {@link Reason#DAMAGED} if the file ends before
     */
    void read(ByteBuffer target, long offsetBytes) throws IOException {
        int wanted = target.remaining();
        int got = file.read(target, offsetBytes);
        if (got != wanted) {
            throw new StoreException(
                    Reason.DAMAGED,
                    "the store's file ends at " + (offsetBytes + got) + ", inside the store");
        }
    }

    void expect(long offsetBytes, long lengthBytes) {
        file.expectPages(offsetBytes, lengthBytes);
    }

    /** Writes file data to a slot: a failure is the caller's, who then does not map the slot. */
    void writeSlotData(ByteBuffer source, long offsetBytes) throws IOException {
        checkUsable();
        file.write(source, offsetBytes);
    }

    /** Writes what the store itself lives on: a failure ends all changes. */
    void write(ByteBuffer source, long offsetBytes) throws IOException {
        checkUsable();
        try {
            file.write(source, offsetBytes);
        } catch (IOException e) {
            fail(e);
            throw e;
        }
    }

    void syncData() throws IOException {
        synchronized (syncTurn) {
            checkUsable();
            try {
                file.syncData();
            } catch (IOException e) {
                fail(e);
                throw e;
            }
        }
    }

    /**
     * Reserves space for a range, also beyond the file's end; a failure changes nothing. Where the
     * filesystem cannot do that, space is found when the range is written.
     */
    void reserve(long offsetBytes, long lengthBytes) throws IOException {
        try {
            file.allocate(0, offsetBytes, lengthBytes);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
        }
    }

    void truncate(long sizeBytes) throws IOException {
        file.truncate(sizeBytes);
    }

    /** Makes also the file's size durable. */
    void syncAll() throws IOException {
        file.sync();
    }

    long sizeBytes() throws IOException {
        return file.sizeBytes();
    }

    /** Closes the file; the second time nothing happens. */
    void close() throws IOException {
        markClosed();
        if (closed.compareAndSet(false, true)) {
            file.close();
        }
    }
}
