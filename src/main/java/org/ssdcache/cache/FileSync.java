package org.ssdcache.cache;

import java.io.IOException;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.BlockStore;

/**
 * fsync and fdatasync: on the backing what went there, in the journal what is dirty (I1). A failure
 * is told to every opener of the file (I8).
 */
final class FileSync {
    private final BlockStore store;
    private final PendingFiles pending;
    private final BlockMap map;
    private final Resizing resizing;
    private final Bypass bypass;
    private final CacheHealth health;

    FileSync(
            BlockStore store,
            PendingFiles pending,
            BlockMap map,
            Resizing resizing,
            Bypass bypass,
            CacheHealth health) {
        this.store = store;
        this.pending = pending;
        this.map = map;
        this.resizing = resizing;
        this.bypass = bypass;
        this.health = health;
    }

    /** See {@link FileCache#sync}. */
    void sync(CachedFile file, boolean dataOnly, boolean nameIsDurable) throws IOException {
        if (bypass.mode() != CacheMode.WRITEBACK || file.isBackingChanged() || !nameIsDurable) {
            syncBacking(file, dataOnly && nameIsDurable);
        }
        PendingFile state = pending.get(file.number());
        if (state != null) {
            syncStore(file, state);
        } else {
            pending.makeEndDurable(file.number());
        }
    }

    private void syncBacking(CachedFile file, boolean dataOnly) throws IOException {
        long changes = file.backingChanges();
        try {
            file.backing().sync(dataOnly);
            file.backingSynced(changes);
        } catch (IOException e) {
            file.syncFailed();
            resizing.distrust(file);
            throw e;
        }
    }

    private void syncStore(CachedFile file, PendingFile state) throws IOException {
        try {
            syncPending(state);
        } catch (IOException e) {
            file.syncFailed();
            throw e;
        }
    }

    private void syncPending(PendingFile state) throws IOException {
        try {
            pending.record(state);
            store.sync();
        } catch (IOException e) {
            health.journalFailed(e);
            throw e;
        }
        map.releaseDurable();
    }

    /**
     * Makes durable what is dirty of a file that need not be open.
     *
     * @param inode names the file in a failure
     */
    void secure(int number, long inode) throws ErrnoException {
        PendingFile state = pending.get(number);
        if (state == null) {
            return;
        }
        try {
            syncPending(state);
        } catch (IOException e) {
            throw new ErrnoException(Errno.EIO, "inode " + inode + " cannot be made durable: " + e);
        }
    }
}
