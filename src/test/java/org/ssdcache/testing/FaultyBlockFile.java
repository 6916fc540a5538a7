package org.ssdcache.testing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.ErrnoException;

/**
 * A disk that can fail and lose power: writes wait in a volatile cache until a sync brings them to
 * the disk below.
 *
 * <p>Every read, write, sync, truncate, allocate and setModified is an operation with a number, the
 * first being 1. Truncates and allocates are durable at once, as on a journaling filesystem that
 * got lucky; the store does none after it was made.
 */
public final class FaultyBlockFile implements BlockFile {
    private static final int EIO = 5;
    private static final int EINVAL = 22;
    private static final int SECTOR_BYTES = 512;
    private static final long NEVER = Long.MAX_VALUE;

    private final BlockFile durable;
    private final long seed;

    @GuardedBy("this")
    private final Random random;

    /** In the order they were made. */
    @GuardedBy("this")
    private final List<PendingWrite> pending = new ArrayList<>();

    /** A modification time that no sync has made durable; null if there is none. */
    @GuardedBy("this")
    private Long pendingModifiedNanos;

    @GuardedBy("this")
    private long operations;

    @GuardedBy("this")
    private long syncs;

    @GuardedBy("this")
    private long failAt = NEVER;

    @GuardedBy("this")
    private int failErrno;

    @GuardedBy("this")
    private long powerEndsAt = NEVER;

    private volatile Runnable beforeSync = () -> {};

    @GuardedBy("this")
    private WriteFilter writeFilter = (offset, length) -> false;

    @GuardedBy("this")
    private PowerSwitch power = new PowerSwitch();

    /**
     * @param seed of every choice this disk makes; tests print it
     */
    public FaultyBlockFile(BlockFile durable, long seed) {
        this.durable = durable;
        this.seed = seed;
        this.random = new Random(seed);
    }

    /** A write that no sync has made durable; doomed ones never will be, as after a failed sync. */
    private static final class PendingWrite {
        final long offsetBytes;
        final byte[] bytes;
        boolean doomed;

        PendingWrite(long offsetBytes, byte[] bytes) {
            this.offsetBytes = offsetBytes;
            this.bytes = bytes;
        }

        boolean touches(long from, long to) {
            return offsetBytes < to && from < offsetBytes + bytes.length;
        }

        /** Reads of a doomed write's bytes see what was written over them since. */
        void overwriteWith(PendingWrite newer) {
            long from = Math.max(offsetBytes, newer.offsetBytes);
            long to = Math.min(offsetBytes + bytes.length, newer.offsetBytes + newer.bytes.length);
            if (from < to) {
                System.arraycopy(
                        newer.bytes,
                        (int) (from - newer.offsetBytes),
                        bytes,
                        (int) (from - offsetBytes),
                        (int) (to - from));
            }
        }
    }

    /** Operation number {@code n}, counted from the first ever, fails with this errno; once. */
    public synchronized void failOperation(long n, int errno) {
        failAt = n;
        failErrno = errno;
    }

    /** The next operation fails with this errno. */
    public synchronized void failNext(int errno) {
        failOperation(operations + 1, errno);
    }

    /** Power ends during operation number {@code n}: it and all after it fail with EIO. */
    public synchronized void cutPowerAt(long n) {
        powerEndsAt = n;
    }

    /** Decides by place and length which writes fail. */
    @FunctionalInterface
    public interface WriteFilter {
        boolean fails(long offsetBytes, int lengthBytes);
    }

    /** Writes fail with EIO where the filter says so, until another one is set. */
    public synchronized void setBeforeWrite(WriteFilter filter) {
        writeFilter = filter;
    }

    /** Called before each sync, without a lock. */
    public void setBeforeSync(Runnable action) {
        beforeSync = action;
    }

    /** This disk loses power together with others. */
    public synchronized void setPower(PowerSwitch shared) {
        power = shared;
    }

    /** Whether an operation has met the end of power. */
    public synchronized boolean isPowerGone() {
        return operations >= powerEndsAt;
    }

    public synchronized long operations() {
        return operations;
    }

    /** Syncs that were asked for, also those that failed. */
    public synchronized long syncs() {
        return syncs;
    }

    /**
     * What is on the disk after a power cut: each write that was not synced was kept, dropped or
     * torn (each sector new or old) on its own.
     */
    public synchronized MemoryBlockFile crash() throws IOException {
        MemoryBlockFile survivor = copyOfDurable();
        if (pendingModifiedNanos != null && random.nextBoolean()) {
            survivor.setModified(pendingModifiedNanos);
        }
        for (PendingWrite write : pending) {
            int fate = random.nextInt(3);
            if (fate == 0) {
                survivor.write(ByteBuffer.wrap(write.bytes), write.offsetBytes);
            } else if (fate == 1) {
                tear(survivor, write);
            }
        }
        return survivor;
    }

    /** What is in the file after the process was killed: the kernel still has every write. */
    public synchronized MemoryBlockFile kill() throws IOException {
        MemoryBlockFile survivor = copyOfDurable();
        if (pendingModifiedNanos != null) {
            survivor.setModified(pendingModifiedNanos);
        }
        for (PendingWrite write : pending) {
            survivor.write(ByteBuffer.wrap(write.bytes), write.offsetBytes);
        }
        return survivor;
    }

    @GuardedBy("this")
    private MemoryBlockFile copyOfDurable() throws IOException {
        if (durable instanceof MemoryBlockFile memory) {
            return memory.copy();
        }
        MemoryBlockFile copy = new MemoryBlockFile(durable.sizeBytes());
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
        for (long at = 0; at < durable.sizeBytes(); at += buffer.capacity()) {
            durable.read(buffer.clear(), at);
            copy.write(buffer.flip(), at);
        }
        return copy;
    }

    @GuardedBy("this")
    private void tear(MemoryBlockFile survivor, PendingWrite write) throws IOException {
        long end = write.offsetBytes + write.bytes.length;
        long at = write.offsetBytes;
        while (at < end) {
            long sectorEnd = Math.min(end, (at / SECTOR_BYTES + 1) * SECTOR_BYTES);
            if (random.nextBoolean()) {
                int from = (int) (at - write.offsetBytes);
                survivor.write(ByteBuffer.wrap(write.bytes, from, (int) (sectorEnd - at)), at);
            }
            at = sectorEnd;
        }
    }

    @Override
    public synchronized int read(ByteBuffer target, long offsetBytes) throws IOException {
        begin("read");
        int start = target.position();
        int limit = target.limit();
        long sizeBytes = sizeWithPending();
        int length = (int) Math.max(0, Math.min(target.remaining(), sizeBytes - offsetBytes));
        target.limit(start + length);
        durable.read(target, offsetBytes);
        while (target.hasRemaining()) {
            target.put((byte) 0);
        }
        target.limit(limit);
        for (PendingWrite write : pending) {
            if (write.touches(offsetBytes, offsetBytes + length)) {
                long from = Math.max(offsetBytes, write.offsetBytes);
                long to = Math.min(offsetBytes + length, write.offsetBytes + write.bytes.length);
                target.put(
                        start + (int) (from - offsetBytes),
                        write.bytes,
                        (int) (from - write.offsetBytes),
                        (int) (to - from));
            }
        }
        return length;
    }

    /**
     * A write that fails, or that power ends in, has been done in part, from its beginning, by
     * whole sectors.
     */
    @Override
    public synchronized void write(ByteBuffer source, long offsetBytes) throws IOException {
        byte[] bytes = new byte[source.remaining()];
        source.get(source.position(), bytes);
        if (offsetBytes < 0) {
            throw new ErrnoException(EINVAL, "write at " + offsetBytes);
        }
        try {
            if (writeFilter.fails(offsetBytes, bytes.length)) {
                failNext(EIO);
            }
            begin("write");
        } catch (ErrnoException e) {
            if (power.wasGone() || operations > powerEndsAt) {
                throw e;
            }
            long end = offsetBytes + random.nextInt(bytes.length + 1);
            int done = (int) Math.max(0, end / SECTOR_BYTES * SECTOR_BYTES - offsetBytes);
            byte[] part = java.util.Arrays.copyOf(bytes, done);
            pending.add(new PendingWrite(offsetBytes, part));
            throw e;
        }
        source.position(source.limit());
        pending.add(new PendingWrite(offsetBytes, bytes));
    }

    @Override
    public void syncData() throws IOException {
        sync();
    }

    /**
     * A sync that fails may have brought some writes to the disk. As on Linux, a later sync that
     * succeeds says nothing about the others: they stay readable and are never written.
     */
    @Override
    public void sync() throws IOException {
        beforeSync.run();
        syncNow();
    }

    private synchronized void syncNow() throws IOException {
        syncs++;
        try {
            begin("sync");
        } catch (ErrnoException e) {
            pending.forEach(write -> write.doomed |= random.nextBoolean());
            throw e;
        }
        for (int i = 0; i < pending.size(); i++) {
            PendingWrite write = pending.get(i);
            if (!write.doomed) {
                durable.write(ByteBuffer.wrap(write.bytes), write.offsetBytes);
                pending.subList(0, i).forEach(older -> older.overwriteWith(write));
            }
        }
        pending.removeIf(write -> !write.doomed);
        if (pendingModifiedNanos != null) {
            durable.setModified(pendingModifiedNanos);
            pendingModifiedNanos = null;
        }
        durable.sync();
    }

    @Override
    public synchronized long sizeBytes() throws IOException {
        return sizeWithPending();
    }

    @GuardedBy("this")
    private long sizeWithPending() throws IOException {
        long sizeBytes = durable.sizeBytes();
        for (PendingWrite write : pending) {
            sizeBytes = Math.max(sizeBytes, write.offsetBytes + write.bytes.length);
        }
        return sizeBytes;
    }

    /** As the kernel counts it, with what is not on the disk yet. */
    @Override
    public synchronized long allocatedBytes() throws IOException {
        return kill().allocatedBytes();
    }

    /** Durable with the next sync, lost or not in a power cut before it. */
    @Override
    public synchronized void setModified(long modifiedNanos) throws IOException {
        begin("setModified");
        pendingModifiedNanos = modifiedNanos;
    }

    @Override
    public synchronized void truncate(long sizeBytes) throws IOException {
        begin("truncate");
        writeThrough();
        durable.truncate(sizeBytes);
    }

    @Override
    public synchronized void allocate(int mode, long offsetBytes, long lengthBytes)
            throws IOException {
        begin("allocate");
        writeThrough();
        durable.allocate(mode, offsetBytes, lengthBytes);
    }

    @GuardedBy("this")
    private void writeThrough() throws IOException {
        for (PendingWrite write : pending) {
            if (!write.doomed) {
                durable.write(ByteBuffer.wrap(write.bytes), write.offsetBytes);
            }
        }
        pending.clear();
    }

    @Override
    public void forgetPages(long offsetBytes, long lengthBytes) {
        // The volatile cache here is not the page cache.
    }

    /** Closing does not sync. What was written stays pending, so that the test may still crash. */
    @Override
    public void close() {}

    @GuardedBy("this")
    private void begin(String what) throws ErrnoException {
        operations++;
        if (!power.begin() || operations >= powerEndsAt) {
            throw new ErrnoException(EIO, what + " after power ended" + number());
        }
        if (operations == failAt) {
            failAt = NEVER;
            throw new ErrnoException(failErrno, what + " was told to fail" + number());
        }
    }

    @GuardedBy("this")
    private String number() {
        return ", operation " + operations + ", seed " + seed;
    }
}
