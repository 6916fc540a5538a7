package org.ssdcache.cache;

import java.io.IOException;
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
    private final IndexImage image;
    private final CacheHealth health;
    private final Runnable fileGone;
    private final ConcurrentHashMap<Integer, CachedFile> open = new ConcurrentHashMap<>();

    /**
     * @param fileGone called when a file's blocks became void, to have them swept
     */
    FileRecords(
            FileTable files,
            BlockStore store,
            IndexImage image,
            CacheHealth health,
            Runnable fileGone) {
        this.files = files;
        this.store = store;
        this.image = image;
        this.health = health;
        this.fileGone = fileGone;
    }

    /** A file is opened that was not open: its old blocks are its own, or they are dropped. */
    CachedFile open(FileId id, BackingFile backing, FileFacts facts) {
        int number = files.find(id);
        if (number != CachedFile.UNREGISTERED && !isOurs(number, facts)) {
            LOG.info("inode {} was changed behind the cache; its blocks are dropped", id.inode());
            drop(number);
            number = CachedFile.UNREGISTERED;
        }
        CachedFile file = new CachedFile(id, backing, number, facts.sizeBytes());
        if (number != CachedFile.UNREGISTERED) {
            if (!facts.equals(files.factsOf(number))) {
                define(number, id, facts);
            }
            file.setAdmitted();
            open.put(number, file);
        }
        return file;
    }

    private boolean isOurs(int number, FileFacts facts) {
        if (facts.equals(files.factsOf(number))) {
            return true;
        }
        return store.filesWithIntents().contains(number)
                && facts.changedNanos() <= store.leaseNanosAtOpen();
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

    /** The last handle is gone; what the file is now is remembered for the next open. */
    void close(CachedFile file, FileFacts after) {
        file.setUncacheable();
        int number = file.number();
        if (number == CachedFile.UNREGISTERED || !open.remove(number, file)) {
            return;
        }
        if (!files.isLive(number)) {
            return;
        }
        if (!file.isAdmitted()) {
            drop(number);
        } else if (!after.equals(files.factsOf(number))) {
            define(number, file.id(), after);
        }
    }

    boolean holds(FileId id) {
        return files.find(id) != CachedFile.UNREGISTERED;
    }

    /** The daemon itself changed attributes of a file that is not open. */
    void attributesChanged(FileId id, FileFacts before, FileFacts after) {
        int number = files.find(id);
        if (number == CachedFile.UNREGISTERED || open.containsKey(number)) {
            return;
        }
        if (isOurs(number, before)) {
            define(number, id, after);
        } else {
            drop(number);
        }
    }

    /** The file does not exist any more. */
    void deleted(FileId id) {
        int number = files.find(id);
        if (number != CachedFile.UNREGISTERED) {
            open.remove(number);
            drop(number);
        }
    }

    /** Takes down what an open file is like now, its changes so far being durable. */
    void refresh(int number) throws IOException {
        CachedFile file = open.get(number);
        if (file != null && files.isLive(number)) {
            define(number, file.id(), file.backing().facts());
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

    private void drop(int number) {
        files.kill(number);
        image.fileChanged(number);
        try {
            store.fileDropped(number);
        } catch (IOException e) {
            health.journalFailed(e);
        }
        fileGone.run();
    }
}
