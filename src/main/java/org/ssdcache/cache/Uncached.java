package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.BlockFile;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;

/** No cache: the backing serves everything. For a mount whose cache was taken away. */
public final class Uncached implements FileCache {
    private final Counters counters;

    /** What each open file was like when it was known last to be as the daemon left it. */
    private final ConcurrentHashMap<CachedFile, FileFacts> known = new ConcurrentHashMap<>();

    private final ThreadLocal<ByteBuffer> buffers =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(0));

    public Uncached(Counters counters) {
        this.counters = counters;
    }

    @Override
    public CachedFile open(
            FileId id, FileLocator locator, BlockFile data, FileFacts facts, FactsSource source) {
        BackingFile backing = new BackingFile(data, source::facts, counters);
        CachedFile file =
                new CachedFile(id, locator, backing, CachedFile.UNREGISTERED, facts.sizeBytes());
        known.put(file, facts);
        return file;
    }

    @Override
    public boolean reopened(CachedFile file, FileFacts facts) {
        if (file.isChanged() || facts.equals(known.get(file))) {
            return true;
        }
        known.put(file, facts);
        file.setSizeBytes(facts.sizeBytes());
        return false;
    }

    @Override
    public void flushed(CachedFile file) throws IOException {
        if (!file.isChanged() || !file.resizing().writeLock().tryLock()) {
            return;
        }
        try {
            known.put(file, file.backing().facts());
            file.setChanged(false);
        } finally {
            file.resizing().writeLock().unlock();
        }
    }

    @Override
    public boolean close(CachedFile file, FileFacts after) throws IOException {
        boolean ours = after.equals(known.remove(file)) || file.isChanged();
        file.backing().close();
        return ours;
    }

    @Override
    public void read(CachedFile file, long offsetBytes, int lengthBytes, int task, ReadReply reply)
            throws IOException {
        ByteBuffer buffer = buffer(lengthBytes);
        file.backing().read(buffer, offsetBytes);
        buffer.flip();
        count(buffer.remaining());
        reply.deliver(buffer);
    }

    private ByteBuffer buffer(int lengthBytes) {
        if (buffers.get().capacity() < lengthBytes) {
            buffers.set(ByteBuffer.allocateDirect(lengthBytes));
        }
        return buffers.get().clear().limit(lengthBytes);
    }

    private void count(long bytes) {
        counters.add(BypassReason.MODE.counter(), 1);
        counters.add(Counter.BYPASSED_BYTES, bytes);
    }

    @Override
    public void write(CachedFile file, ByteBuffer source, long offsetBytes, int task)
            throws IOException {
        int lengthBytes = source.remaining();
        change(
                file,
                false,
                () -> {
                    file.backing().write(source, offsetBytes);
                    file.growTo(offsetBytes + lengthBytes);
                });
        count(lengthBytes);
    }

    @Override
    public void truncate(CachedFile file, long sizeBytes) throws IOException {
        change(
                file,
                true,
                () -> {
                    file.backing().truncate(sizeBytes);
                    file.setSizeBytes(sizeBytes);
                });
    }

    @Override
    public void allocate(CachedFile file, int mode, long offsetBytes, long lengthBytes)
            throws IOException {
        change(
                file,
                true,
                () -> {
                    file.backing().allocate(mode, offsetBytes, lengthBytes);
                    if ((mode & Resizing.KEEP_SIZE) == 0) {
                        file.growTo(offsetBytes + lengthBytes);
                    }
                });
    }

    private interface Change {
        void run() throws IOException;
    }

    /** After a failure nobody but the backing knows how long the file is. */
    private static void change(CachedFile file, boolean alone, Change change) throws IOException {
        var lock = alone ? file.resizing().writeLock() : file.resizing().readLock();
        lock.lock();
        boolean done = false;
        try {
            file.setChanged(true);
            change.run();
            done = true;
        } finally {
            if (!done) {
                file.growTo(file.backing().sizeBytes());
            }
            lock.unlock();
        }
    }

    @Override
    public void sync(CachedFile file, boolean dataOnly, boolean nameIsDurable) throws IOException {
        try {
            file.backing().sync(dataOnly && nameIsDurable);
        } catch (IOException e) {
            file.syncFailed();
            file.backing().forgetPages(0, 0);
            throw e;
        }
    }

    @Override
    public void secure(FileId id) {
        // Nothing is dirty.
    }

    @Override
    public FileFacts pendingFacts(FileId id) {
        return null;
    }

    @Override
    public FileFacts shown(FileId id, FileFacts onBacking) {
        return onBacking;
    }

    @Override
    public void modifiedSet(FileId id, long modifiedNanos) {
        // The backing has it already.
    }

    @Override
    public boolean holds(FileId id) {
        return false;
    }

    @Override
    public void attributesChanged(FileId id, FileFacts before, FileFacts after) {
        // Nothing is remembered of closed files, and open ones are looked at when they are
        // reopened.
    }

    @Override
    public void deleted(FileId id) {
        // Nothing is remembered of it.
    }

    @Override
    public void adopt(CachedFile file, FileFacts facts) {
        file.startOver(CachedFile.UNREGISTERED, facts.sizeBytes());
        known.put(file, facts);
    }

    @Override
    public void giveUp(CachedFile file, FileFacts facts) {
        known.remove(file);
    }
}
