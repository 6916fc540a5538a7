package org.ssdcache.cache;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.BlockStore;

/**
 * Which files the cache holds blocks of, and whether those blocks are still theirs.
 *
 * <p>A file's length, mtime and ctime as the daemon left them are kept with it. Found different
 * when the file is opened the next time, somebody else wrote, and its blocks are dropped (I6).
 */
final class FileRecords {
    private static final Logger LOG = LoggerFactory.getLogger(FileRecords.class);

    private final FileLedger ledger;
    private final BlockStore store;
    private final PendingFiles pending;
    private volatile IntConsumer fileForeign = number -> {};
    private final ConcurrentHashMap<Integer, CachedFile> open = new ConcurrentHashMap<>();

    /** Files that the cleaner is changing on the backing, and how many times over. */
    private final Map<Integer, Integer> cleaning = new ConcurrentHashMap<>();

    FileRecords(FileLedger ledger, BlockStore store, PendingFiles pending) {
        this.ledger = ledger;
        this.store = store;
        this.pending = pending;
    }

    /** Who drops a closed file's clean blocks because somebody else changed it. */
    void onFileForeign(IntConsumer action) {
        fileForeign = action;
    }

    /**
     * A file is opened that was not open: its old blocks are its own, or they are dropped.
     *
     * @throws ErrnoException EIO if somebody else changed it and it has dirty blocks (I6)
     */
    CachedFile open(FileId id, FileLocator locator, BackingFile backing, FileFacts found)
            throws IOException {
        CachedFile file =
                new CachedFile(id, locator, backing, CachedFile.UNREGISTERED, found.sizeBytes());
        adopt(file, found);
        return file;
    }

    /** The same of a file that another cache had while it was open. */
    synchronized void adopt(CachedFile file, FileFacts found) throws IOException {
        FileId id = file.id();
        BackingFile backing = file.backing();
        int number = ledger.find(id);
        FileFacts facts = found;
        if (number != CachedFile.UNREGISTERED && !isOurs(number, facts)) {
            // The cleaner may have finished after the facts were taken.
            facts = backing.facts();
        }
        if (number != CachedFile.UNREGISTERED && !isOurs(number, facts)) {
            refuseConflict(number);
            if (!store.wasClean()) {
                // It may have been the killed daemon after all, whose intents are forgotten now:
                // what the backing may still lose in a power cut must not be cached.
                backing.sync(true);
            }
            ledger.dropForeign(number);
            number = CachedFile.UNREGISTERED;
        }
        file.startOver(number, facts.sizeBytes());
        if (number != CachedFile.UNREGISTERED) {
            PendingFile state = pending.get(number);
            if (state != null) {
                facts = cutOff(backing, state.attributes().sizeBytes(), facts);
                file.setSizeBytes(state.attributes().sizeBytes());
                file.setLongerThanBacking();
            }
            if (!ledger.isRecorded(number, facts)) {
                ledger.define(number, id, facts);
            }
            // What the last mount wrote to the backing may not be durable there.
            if (ledger.isDoubtful(number)) {
                file.backingChanged();
            }
            file.setAdmitted();
            open.put(number, file);
            ledger.settleDoubt(number);
        }
    }

    /**
     * A crash may leave the backing longer than what is on record: nobody was told that this is
     * durable, and it must not show up when the file grows again.
     */
    private static FileFacts cutOff(BackingFile backing, long sizeBytes, FileFacts facts)
            throws IOException {
        if (facts.sizeBytes() <= sizeBytes) {
            return facts;
        }
        backing.truncate(sizeBytes);
        return backing.facts();
    }

    private void refuseConflict(int number) throws ErrnoException {
        if (pending.get(number) != null) {
            throw new ErrnoException(
                    Errno.EIO,
                    "inode "
                            + ledger.idOf(number).inode()
                            + " was changed behind the cache, which has dirty blocks of it");
        }
    }

    private boolean isOurs(int number, FileFacts facts) {
        return cleaning.containsKey(number) || ledger.isOwn(number, facts);
    }

    /**
     * Gives the file a number because a block of it is to be cached.
     *
     * @return whether it has one; false when the file table is full
     */
    boolean registerForFill(CachedFile file) throws IOException {
        return file.number() != CachedFile.UNREGISTERED || register(file, null);
    }

    /**
     * Gives the file a number because it is about to be changed, with an intent for all of it.
     * Without a number its changes are on no record, so then it stays out of the cache.
     *
     * @param beforeIntent told the number before the intent is appended
     * @return whether that happened just now; false when it had a number, or the table is full
     */
    boolean registerForWrite(CachedFile file, IntConsumer beforeIntent) throws IOException {
        if (file.number() != CachedFile.UNREGISTERED) {
            return false;
        }
        boolean registered = register(file, beforeIntent);
        if (!registered && file.number() == CachedFile.UNREGISTERED) {
            file.setUncacheable();
        }
        return registered;
    }

    private boolean register(CachedFile file, IntConsumer beforeIntent) throws IOException {
        synchronized (file) {
            if (file.isUncacheable()) {
                return false;
            }
            if (file.number() != CachedFile.UNREGISTERED) {
                return beforeIntent == null;
            }
            int number = ledger.add(file.id(), file.backing().facts(), beforeIntent);
            if (number == CachedFile.UNREGISTERED) {
                return false;
            }
            open.put(number, file);
            file.setNumber(number);
            return true;
        }
    }

    /**
     * The last handle is gone; what the file is now is remembered for the next open.
     *
     * @param before what the file was like a moment ago; negative if that is not known
     * @return whether the file is as the daemon left it, as far as that can be told: of a file that
     *     the daemon itself changed it is believed
     */
    synchronized boolean close(CachedFile file, FileFacts before) {
        synchronized (file) {
            // The cleaner may have changed the file after the facts were taken.
            FileFacts after = before.sizeBytes() < 0 ? before : factsNow(file, before);
            file.setUncacheable();
            int number = file.number();
            if (number == CachedFile.UNREGISTERED || !open.remove(number, file)) {
                return true;
            }
            boolean ours =
                    file.isChanged()
                            || cleaning.containsKey(number)
                            || ledger.isRecorded(number, after);
            if (pending.get(number) != null) {
                closePending(number, file, after, ours);
            } else if (!ours) {
                ledger.dropForeign(number);
            } else if (!file.isAdmitted()) {
                ledger.drop(number);
            } else if (!ledger.isRecorded(number, after)) {
                ledger.define(number, file.id(), after);
            }
            return ours;
        }
    }

    /** What a file is like now; what it was like before, if nobody can tell. */
    FileFacts factsNow(CachedFile file, FileFacts before) {
        try {
            return file.backing().facts();
        } catch (IOException e) {
            LOG.warn("{} cannot be asked what it is like", file, e);
            return before;
        }
    }

    /** What is dirty stays; somebody else's change becomes a conflict at the next open. */
    private void closePending(int number, CachedFile file, FileFacts after, boolean ours) {
        if (!ours) {
            LOG.error("inode {} was changed behind the cache and is dirty", file.id().inode());
        } else if (after.sizeBytes() >= 0) {
            ledger.define(number, file.id(), after);
        }
    }

    /**
     * A file that is open is opened once more.
     *
     * @return whether it is as the daemon left it; if not, its blocks are to be dropped
     */
    boolean isAsLeft(CachedFile file, FileFacts facts) {
        int number = file.number();
        return file.isChanged()
                || number == CachedFile.UNREGISTERED
                || cleaning.containsKey(number)
                || ledger.isRecorded(number, facts);
    }

    /** The file's blocks are dropped and what comes next is right for these facts. */
    void restate(CachedFile file, FileFacts facts) {
        synchronized (file) {
            if (!file.isUncacheable() && file.number() != CachedFile.UNREGISTERED) {
                ledger.define(file.number(), file.id(), facts);
            }
        }
    }

    boolean holds(FileId id) {
        return ledger.find(id) != CachedFile.UNREGISTERED;
    }

    /** The daemon itself changed attributes or names of a file. */
    synchronized void attributesChanged(FileId id, FileFacts before, FileFacts after) {
        int number = ledger.find(id);
        if (number == CachedFile.UNREGISTERED) {
            return;
        }
        PendingFile state = pending.get(number);
        if (state != null) {
            // A time of modification that moved meanwhile is the cleaner's doing.
            state.setChangedNanos(after.changedNanos());
        }
        CachedFile file = open.get(number);
        if (file != null) {
            file.backingChanged();
            if (isAsLeft(file, before)) {
                restate(file, after);
            }
        } else if (isOurs(number, before) || state != null) {
            ledger.define(number, id, after);
            ledger.settleDoubt(number);
        } else {
            ledger.dropForeign(number);
        }
    }

    /**
     * The file does not exist any more. If it is dirty it is kept until the backing has been
     * synced: a power cut before that may bring the file back, and then it must be whole.
     */
    synchronized void deleted(FileId id) {
        int number = ledger.find(id);
        if (number == CachedFile.UNREGISTERED) {
            return;
        }
        open.remove(number);
        PendingFile state = pending.get(number);
        if (state != null) {
            state.doom();
        } else {
            ledger.drop(number);
        }
    }

    /** The backing was synced after the file had gone. */
    synchronized void dropDoomed(PendingFile file) {
        if (file.isDoomed() && pending.get(file.number()) == file) {
            ledger.drop(file.number());
        }
    }

    /**
     * The file turns out not to exist on the backing. The last mount may have deleted it without
     * the backing having synced that.
     */
    synchronized void gone(int number) {
        if (!open.containsKey(number) && ledger.isLive(number)) {
            LOG.warn(
                    "inode {} does not exist on the backing any more; what the cache had of it that"
                            + " was dirty is dropped",
                    ledger.idOf(number).inode());
            deleted(ledger.idOf(number));
        }
    }

    /**
     * The cleaner is going to change the file on the backing: until {@link #endCleaning} its facts
     * there are the daemon's own doing.
     *
     * @return null if the number stands for no file any more
     */
    synchronized FileId beginCleaning(int number) {
        PendingFile state = pending.get(number);
        if (!ledger.isLive(number) || state == null || state.isDoomed()) {
            return null;
        }
        cleaning.merge(number, 1, Integer::sum);
        return ledger.idOf(number);
    }

    /**
     * The cleaner has let go of the file.
     *
     * @param backing tells what the file is like now, and is closed; null if it was not opened
     */
    synchronized void endCleaning(int number, BackingFile backing) {
        try {
            if (backing != null) {
                try (backing) {
                    redefine(number, backing.facts());
                }
            }
        } catch (IOException e) {
            LOG.warn("a cleaned file cannot be asked what it is like; its blocks stay", e);
        } finally {
            cleaning.computeIfPresent(number, (key, times) -> times == 1 ? null : times - 1);
        }
    }

    /** Whether the cleaner is at a file's work, so that its number must not be used again. */
    boolean isCleaning(int number) {
        return cleaning.containsKey(number);
    }

    /** What the file is like on the backing after the daemon changed it there. */
    synchronized void redefine(int number, FileFacts facts) {
        if (ledger.isLive(number) && !ledger.isRecorded(number, facts)) {
            ledger.define(number, ledger.idOf(number), facts);
        }
    }

    /** Bringing blocks home failed: whoever has the file open is told by the next sync (I8). */
    void cleaningFailed(int number) {
        CachedFile file = open.get(number);
        if (file != null) {
            file.syncFailed();
        }
    }

    /** An application set the time of modification. */
    void modifiedSet(FileId id, long modifiedNanos) {
        int number = ledger.find(id);
        PendingFile state = number == CachedFile.UNREGISTERED ? null : pending.get(number);
        if (state != null) {
            state.setModifiedNanos(modifiedNanos);
        }
    }

    /** Whether the file's number is still its own, so that blocks of it may be published. */
    boolean isLive(CachedFile file) {
        return file.number() != CachedFile.UNREGISTERED && ledger.find(file.id()) == file.number();
    }

    /**
     * Whether a number stands for a file; asked under the lock of one of its blocks, it holds until
     * the lock is given back for who works on that block's slot.
     */
    boolean isLive(int number) {
        return ledger.isLive(number);
    }

    FileId idOf(int number) {
        return ledger.idOf(number);
    }

    /**
     * Takes what a file is like now as known, if the daemon itself made it so.
     *
     * @return false if somebody else did
     */
    synchronized boolean acceptOwn(int number, FileFacts facts) {
        boolean ours = isOurs(number, facts);
        if (ours) {
            redefine(number, facts);
        }
        return ours;
    }

    /** Somebody else changed the file; its dirty blocks count nevertheless, its clean ones not. */
    synchronized void adopt(int number, FileFacts facts) {
        fileForeign.accept(number);
        redefine(number, facts);
    }

    /** Everything that the cache has of the file is void, dirty blocks too. */
    synchronized void discard(int number) {
        ledger.drop(number);
    }

    int numberOf(FileId id) {
        return ledger.find(id);
    }

    /** Takes down what an open file is like now, its changes so far being durable. */
    void refresh(int number) throws IOException {
        CachedFile file = open.get(number);
        if (file == null) {
            return;
        }
        synchronized (file) {
            if (!file.isUncacheable()) {
                ledger.define(number, file.id(), file.backing().facts());
            }
        }
    }

    /**
     * Whether what the file is like was recorded after its last change: it is closed, and a crash
     * before this mount left no doubt about it.
     */
    boolean isSettled(int number) {
        return !open.containsKey(number) && !ledger.isDoubtful(number);
    }

    /**
     * One opener closed the file: what it is now is recorded, so that a change by somebody else is
     * told from the daemon's own from here on.
     */
    void flushed(CachedFile file) throws IOException {
        if (!file.isChanged() || !file.resizing().writeLock().tryLock()) {
            return;
        }
        try {
            FileFacts facts = file.backing().facts();
            file.setChanged(false);
            restate(file, facts);
        } finally {
            file.resizing().writeLock().unlock();
        }
    }

    /** The open file of a number; null when it is closed. */
    CachedFile openFile(int number) {
        return open.get(number);
    }

    /** Gives a number back, unless its file is open. */
    synchronized void dropIfClosed(int number) {
        if (!open.containsKey(number) && ledger.isLive(number) && pending.get(number) == null) {
            ledger.drop(number);
        }
    }
}
