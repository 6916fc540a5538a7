package org.ssdcache.cache;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.index.FileTable;
import org.ssdcache.store.BlockStore;

/**
 * Which files the cache holds blocks of, and whether those blocks are still theirs.
 *
 * <p>A file's length, mtime and ctime as the daemon left them are kept with it. Found different
 * when the file is opened the next time, somebody else wrote, and its blocks are dropped (I6).
 * After a crash the daemon's own last changes are not in the facts yet; they are told from foreign
 * ones by the write intents and by the lease: the file had an intent, and its ctime is not after
 * the time until which the daemon had announced to be changing files.
 */
final class FileRecords {
    private static final Logger LOG = LoggerFactory.getLogger(FileRecords.class);

    private final FileTable files;
    private final BlockStore store;
    private final Fills fills;
    private final IndexImage image;
    private final CacheHealth health;
    private volatile IntConsumer fileGone = number -> {};
    private final ConcurrentHashMap<Integer, CachedFile> open = new ConcurrentHashMap<>();

    /** Files that the daemon may have changed before a crash and that were not opened since. */
    private final Set<Integer> doubtful = ConcurrentHashMap.newKeySet();

    /** Held while a number is given up, so that this happens once. */
    private final Object drops = new Object();

    FileRecords(
            FileTable files, BlockStore store, Fills fills, IndexImage image, CacheHealth health) {
        this.files = files;
        this.store = store;
        this.fills = fills;
        this.image = image;
        this.health = health;
        doubtful.addAll(store.filesWithIntents());
    }

    /** Who is told, before a number can be used again, that its file's blocks became void. */
    void onFileGone(IntConsumer action) {
        fileGone = action;
    }

    /** A file is opened that was not open: its old blocks are its own, or they are dropped. */
    synchronized CachedFile open(FileId id, BackingFile backing, FileFacts facts) {
        int number = files.find(id);
        if (number != CachedFile.UNREGISTERED && !isOurs(number, facts)) {
            dropForeign(number);
            number = CachedFile.UNREGISTERED;
        }
        CachedFile file = new CachedFile(id, backing, number, facts.sizeBytes());
        if (number != CachedFile.UNREGISTERED) {
            if (!facts.equals(files.factsOf(number))) {
                define(number, id, facts);
            }
            file.setAdmitted();
            open.put(number, file);
            doubtful.remove(number);
        }
        return file;
    }

    private boolean isOurs(int number, FileFacts facts) {
        if (facts.equals(files.factsOf(number))) {
            return true;
        }
        return doubtful.contains(number) && facts.changedNanos() <= store.leaseNanosAtOpen();
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
            FileFacts facts = file.backing().facts();
            int number = files.add(file.id(), facts);
            if (number == CachedFile.UNREGISTERED) {
                return false;
            }
            store.fileDefined(number, file.id(), facts);
            if (beforeIntent != null) {
                beforeIntent.accept(number);
                store.writeIntended(number, BlockStore.WHOLE_FILE);
            }
            image.fileChanged(number);
            open.put(number, file);
            file.setNumber(number);
            return true;
        }
    }

    /**
     * The last handle is gone; what the file is now is remembered for the next open.
     *
     * @return whether the file is as the daemon left it, as far as that can be told: of a file that
     *     the daemon itself changed it is believed
     */
    boolean close(CachedFile file, FileFacts after) {
        synchronized (file) {
            file.setUncacheable();
            int number = file.number();
            if (number == CachedFile.UNREGISTERED || !open.remove(number, file)) {
                return true;
            }
            boolean ours = file.isChanged() || after.equals(files.factsOf(number));
            if (!ours) {
                dropForeign(number);
            } else if (!file.isAdmitted()) {
                drop(number);
            } else if (!after.equals(files.factsOf(number))) {
                define(number, file.id(), after);
            }
            return ours;
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
                || facts.equals(files.factsOf(number));
    }

    /** The file's blocks are dropped and what comes next is right for these facts. */
    void restate(CachedFile file, FileFacts facts) {
        synchronized (file) {
            if (!file.isUncacheable() && file.number() != CachedFile.UNREGISTERED) {
                define(file.number(), file.id(), facts);
            }
        }
    }

    boolean holds(FileId id) {
        return files.find(id) != CachedFile.UNREGISTERED;
    }

    /** The daemon itself changed attributes or names of a file. */
    synchronized void attributesChanged(FileId id, FileFacts before, FileFacts after) {
        int number = files.find(id);
        if (number == CachedFile.UNREGISTERED) {
            return;
        }
        CachedFile file = open.get(number);
        if (file != null) {
            if (isAsLeft(file, before)) {
                restate(file, after);
            }
        } else if (isOurs(number, before)) {
            define(number, id, after);
            doubtful.remove(number);
        } else {
            dropForeign(number);
        }
    }

    /** The file does not exist any more. */
    synchronized void deleted(FileId id) {
        int number = files.find(id);
        if (number != CachedFile.UNREGISTERED) {
            open.remove(number);
            drop(number);
        }
    }

    /** Takes down what an open file is like now, its changes so far being durable. */
    void refresh(int number) throws IOException {
        CachedFile file = open.get(number);
        if (file == null) {
            return;
        }
        synchronized (file) {
            if (!file.isUncacheable()) {
                define(number, file.id(), file.backing().facts());
            }
        }
    }

    /**
     * Whether what the file is like was recorded after its last change: it is closed, and a crash
     * before this mount left no doubt about it.
     */
    boolean isSettled(int number) {
        return !open.containsKey(number) && !doubtful.contains(number);
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
        if (!open.containsKey(number) && files.isLive(number)) {
            drop(number);
        }
    }

    private void define(int number, FileId id, FileFacts facts) {
        files.setFacts(number, facts);
        image.fileChanged(number);
        try {
            store.fileDefined(number, id, facts);
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }

    /**
     * Somebody else changed the file. That is made durable at once: what the daemon writes to the
     * file next would after a crash make the foreign change look like its own.
     */
    private void dropForeign(int number) {
        LOG.info(
                "inode {} was changed behind the cache; its blocks are dropped",
                files.idOf(number).inode());
        drop(number);
        try {
            store.sync();
        } catch (IOException e) {
            health.journalFailed(e);
        }
    }

    /** In the journal first, so that the number's next file comes after it. */
    private void drop(int number) {
        synchronized (drops) {
            if (!files.isLive(number)) {
                return;
            }
            fills.overtakeAll(files.idOf(number));
            try {
                store.fileDropped(number);
            } catch (IOException e) {
                health.journalFailed(e);
            }
            doubtful.remove(number);
            fileGone.accept(number);
            files.kill(number);
            image.fileChanged(number);
        }
    }
}
