package org.ssdcache.cache;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.index.FileTable;
import org.ssdcache.store.BlockStore;

/**
 * What is on record of the files: a number for each, what the file was like when the daemon last
 * left it, and whether a crash has put that in doubt. Table, journal and index image are changed
 * together here.
 *
 * <p>After a crash the daemon's own last changes are not in the facts yet; they are told from
 * foreign ones by the write intents and by the lease: the file had an intent, and its ctime is not
 * after the time until which the daemon had announced to be changing files.
 */
final class FileLedger {
    private static final Logger LOG = LoggerFactory.getLogger(FileLedger.class);

    private final FileTable files;
    private final BlockStore store;
    private final BlockClaims fills;
    private final PendingFiles pending;
    private final IndexImage image;
    private final CacheHealth health;
    private volatile IntConsumer fileGone = number -> {};
    private volatile Runnable fileDead = () -> {};

    /** Files that the daemon may have changed before a crash and that were not opened since. */
    private final Set<Integer> doubtful = ConcurrentHashMap.newKeySet();

    /** Held while a number is given up, so that this happens once. */
    private final Object drops = new Object();

    FileLedger(
            FileTable files,
            BlockStore store,
            BlockClaims fills,
            PendingFiles pending,
            IndexImage image,
            CacheHealth health) {
        this.files = files;
        this.store = store;
        this.fills = fills;
        this.pending = pending;
        this.image = image;
        this.health = health;
        doubtful.addAll(store.filesWithIntents());
    }

    /** Who is told, before a number can be used again, that its file's blocks became void. */
    void onFileGone(IntConsumer action) {
        fileGone = action;
    }

    /** Who is told, after that, that the slots of a dead file can be swept up. */
    void onFileDead(Runnable action) {
        fileDead = action;
    }

    /** The file's number, or {@link CachedFile#UNREGISTERED}. */
    int find(FileId id) {
        return files.find(id);
    }

    FileId idOf(int number) {
        return files.idOf(number);
    }

    /**
     * Whether a number stands for a file; asked under the lock of one of its blocks, it holds until
     * the lock is given back for who works on that block's slot.
     */
    boolean isLive(int number) {
        return files.isLive(number);
    }

    /** Whether these facts are the recorded ones. */
    boolean isRecorded(int number, FileFacts facts) {
        return facts.equals(files.factsOf(number));
    }

    /** Whether the daemon may have left the file like this, recorded or not. */
    boolean isOwn(int number, FileFacts facts) {
        if (isRecorded(number, facts)) {
            return true;
        }
        if (pending.get(number) != null) {
            return facts.changedNanos() <= store.pendingLeaseNanosAtOpen();
        }
        return doubtful.contains(number) && facts.changedNanos() <= store.leaseNanosAtOpen();
    }

    /** Whether what the last mount wrote to the file may not be durable on the backing. */
    boolean isDoubtful(int number) {
        return doubtful.contains(number);
    }

    void settleDoubt(int number) {
        doubtful.remove(number);
    }

    /**
     * Gives a file a number.
     *
     * @param beforeIntent told the number before an intent for all of the file is appended; null:
     *     there is to be none
     * @return {@link CachedFile#UNREGISTERED} when the table is full
     */
    int add(FileId id, FileFacts facts, IntConsumer beforeIntent) throws IOException {
        int number = files.add(id, facts);
        if (number == CachedFile.UNREGISTERED) {
            return number;
        }
        store.fileDefined(number, id, facts);
        if (beforeIntent != null) {
            beforeIntent.accept(number);
            store.writeIntended(number, BlockStore.WHOLE_FILE);
        }
        image.fileChanged(number);
        return number;
    }

    /** The file is like this now, by the daemon's own doing. */
    void define(int number, FileId id, FileFacts facts) {
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
    void dropForeign(int number) {
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
    void drop(int number) {
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
            pending.forget(number);
            fileGone.accept(number);
            files.kill(number);
            fileDead.run();
            image.fileChanged(number);
        }
    }
}
