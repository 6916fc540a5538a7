package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.ErrnoException;

/**
 * A cache that can be replaced by another one while files are open. Requests that are under way are
 * waited for, and new ones wait until all open files were taken over.
 *
 * <p>Its lock comes before all locks of the engine, and after those of the file layer.
 */
public final class SwitchableCache implements FileCache {
    private static final Logger LOG = LoggerFactory.getLogger(SwitchableCache.class);

    /** Shared by requests, exclusive for the switch. */
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();

    private final Set<CachedFile> openFiles = ConcurrentHashMap.newKeySet();
    private volatile FileCache current;

    public SwitchableCache(FileCache first) {
        this.current = first;
    }

    /**
     * Replaces the cache. The old one has given up all files when this returns true, and can be
     * closed.
     *
     * @param ready asked while no request is under way: whether nothing is dirty in the old cache
     * @return false if it was not ready; nothing is changed then
     * @throws IOException if a file could not be taken over; the old cache goes on
     */
    public boolean switchTo(FileCache next, BooleanSupplier ready) throws IOException {
        gate.writeLock().lock();
        try {
            if (!ready.getAsBoolean()) {
                return false;
            }
            for (CachedFile file : openFiles) {
                move(file, current, next);
            }
            current = next;
            return true;
        } finally {
            gate.writeLock().unlock();
        }
    }

    private static void move(CachedFile file, FileCache from, FileCache to) throws IOException {
        FileFacts facts = factsOf(file);
        from.giveUp(file, facts);
        // What the old cache wrote to the backing may not be durable there.
        file.backingChanged();
        to.adopt(file, facts);
    }

    /** Times that no file has make the next cache distrust what it knows of the file. */
    private static FileFacts factsOf(CachedFile file) {
        try {
            return file.backing().facts();
        } catch (IOException e) {
            LOG.warn("{} could not be looked at: {}", file, e.getMessage());
            return new FileFacts(file.sizeBytes(), -1, -1);
        }
    }

    /** Held during one request. */
    private interface Passage extends AutoCloseable {
        @Override
        void close();
    }

    private Passage enter() {
        Lock shared = gate.readLock();
        shared.lock();
        return shared::unlock;
    }

    @Override
    public CachedFile open(
            FileId id, FileLocator locator, BlockFile data, FileFacts facts, FactsSource source)
            throws IOException {
        try (Passage passage = enter()) {
            CachedFile file = current.open(id, locator, data, facts, source);
            openFiles.add(file);
            return file;
        }
    }

    @Override
    public boolean reopened(CachedFile file, FileFacts facts) {
        try (Passage passage = enter()) {
            return current.reopened(file, facts);
        }
    }

    @Override
    public void flushed(CachedFile file) throws IOException {
        try (Passage passage = enter()) {
            current.flushed(file);
        }
    }

    @Override
    public boolean close(CachedFile file, FileFacts after) throws IOException {
        try (Passage passage = enter()) {
            openFiles.remove(file);
            return current.close(file, after);
        }
    }

    @Override
    public void read(CachedFile file, long offsetBytes, int lengthBytes, int task, ReadReply reply)
            throws IOException {
        try (Passage passage = enter()) {
            current.read(file, offsetBytes, lengthBytes, task, reply);
        }
    }

    @Override
    public void write(CachedFile file, ByteBuffer source, long offsetBytes, int task)
            throws IOException {
        try (Passage passage = enter()) {
            current.write(file, source, offsetBytes, task);
        }
    }

    @Override
    public void truncate(CachedFile file, long sizeBytes) throws IOException {
        try (Passage passage = enter()) {
            current.truncate(file, sizeBytes);
        }
    }

    @Override
    public void allocate(CachedFile file, int mode, long offsetBytes, long lengthBytes)
            throws IOException {
        try (Passage passage = enter()) {
            current.allocate(file, mode, offsetBytes, lengthBytes);
        }
    }

    @Override
    public void sync(CachedFile file, boolean dataOnly, boolean nameIsDurable) throws IOException {
        try (Passage passage = enter()) {
            current.sync(file, dataOnly, nameIsDurable);
        }
    }

    @Override
    public void secure(FileId id) throws ErrnoException {
        try (Passage passage = enter()) {
            current.secure(id);
        }
    }

    @Override
    public FileFacts pendingFacts(FileId id) {
        try (Passage passage = enter()) {
            return current.pendingFacts(id);
        }
    }

    @Override
    public FileFacts shown(FileId id, FileFacts onBacking) {
        try (Passage passage = enter()) {
            return current.shown(id, onBacking);
        }
    }

    @Override
    public void modifiedSet(FileId id, long modifiedNanos) {
        try (Passage passage = enter()) {
            current.modifiedSet(id, modifiedNanos);
        }
    }

    @Override
    public boolean holds(FileId id) {
        try (Passage passage = enter()) {
            return current.holds(id);
        }
    }

    @Override
    public void attributesChanged(FileId id, FileFacts before, FileFacts after) {
        try (Passage passage = enter()) {
            current.attributesChanged(id, before, after);
        }
    }

    @Override
    public void deleted(FileId id) {
        try (Passage passage = enter()) {
            current.deleted(id);
        }
    }

    @Override
    public void adopt(CachedFile file, FileFacts facts) throws IOException {
        try (Passage passage = enter()) {
            current.adopt(file, facts);
            openFiles.add(file);
        }
    }

    @Override
    public void giveUp(CachedFile file, FileFacts facts) {
        try (Passage passage = enter()) {
            openFiles.remove(file);
            current.giveUp(file, facts);
        }
    }
}
