package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;
import org.ssdcache.store.BlockStore;

/**
 * The bytes of the slots, counted, and checked once: a slot that was filled before this mount is
 * compared with its page checksums when it is first used.
 */
final class Slots {
    /** More than a copy from the page cache takes, less than the fastest of SSDs. */
    private static final long DEVICE_NANOS = TimeUnit.MICROSECONDS.toNanos(40);

    private final BlockStore store;
    private final BlockGeometry geometry;
    private final Counters counters;
    private final AtomicLongArray unverified;

    @SuppressWarnings("ThreadLocalUsage") // the cache lives as long as its threads
    private final ThreadLocal<ByteBuffer> scratch;

    Slots(BlockStore store, BlockGeometry geometry, Counters counters) {
        this.store = store;
        this.geometry = geometry;
        this.counters = counters;
        this.unverified = new AtomicLongArray((store.geometry().slotCount() >> 6) + 1);
        this.scratch =
                ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(geometry.blockBytes()));
    }

    void read(int slot, int skipBytes, ByteBuffer target) throws IOException {
        int lengthBytes = target.remaining();
        store.readSlot(slot, skipBytes, target);
        counters.add(Counter.SSD_READ_BYTES, lengthBytes);
    }

    /**
     * Reads for somebody who waits. If that took as long as the device takes, the rest of the slot
     * is not in the kernel's page cache either; a database whose pages are smaller than a block
     * will want it, and it costs the device hardly more.
     */
    void readHit(int slot, int skipBytes, ByteBuffer target) throws IOException {
        boolean isPart = target.remaining() < geometry.blockBytes();
        long startNanos = System.nanoTime();
        read(slot, skipBytes, target);
        if (isPart && System.nanoTime() - startNanos >= DEVICE_NANOS) {
            store.expectSlot(slot);
        }
    }

    void write(int slot, int skipBytes, ByteBuffer source) throws IOException {
        int lengthBytes = source.remaining();
        store.writeSlot(slot, skipBytes, source);
        counters.add(Counter.SSD_WRITTEN_BYTES, lengthBytes);
    }

    /** Whether a crash cannot bring back, as dirty, a page that is not dirty now. */
    boolean mayFill(int slot) {
        return store.mayFill(slot);
    }

    boolean isVerified(int slot) {
        return (unverified.get(slot >> 6) & bit(slot)) == 0;
    }

    void setUnverified(int slot) {
        unverified.getAndUpdate(slot >> 6, bits -> bits | bit(slot));
    }

    void setVerified(int slot) {
        if (!isVerified(slot)) {
            unverified.getAndUpdate(slot >> 6, bits -> bits & ~bit(slot));
        }
    }

    /**
     * Compares the valid pages of a slot with the checksums it was stored with. The caller holds
     * the block's lock, and does something about pages that are damaged.
     *
     * @return the pages whose bytes are not what was stored
     */
    int damagedPages(int slot, int validPages) throws IOException {
        if (isVerified(slot)) {
            return 0;
        }
        ByteBuffer block = scratch.get().clear();
        read(slot, 0, block);
        int[] stored = new int[geometry.pagesPerBlock()];
        store.readChecksums(slot, stored);
        int damaged = 0;
        for (int page = 0; page < stored.length; page++) {
            if ((validPages & 1 << page) != 0 && checksum(block, page) != stored[page]) {
                damaged |= 1 << page;
            }
        }
        if (damaged == 0) {
            setVerified(slot);
        }
        return damaged;
    }

    /** Whether every valid page is what was stored; see {@link #damagedPages}. */
    boolean verify(int slot, int validPages) throws IOException {
        return damagedPages(slot, validPages) == 0;
    }

    /**
     * Checksums of some pages of a block.
     *
     * @param block a buffer whose position 0 is the block's first byte and that holds the pages
     * @return an array indexed by page; only the asked pages are set
     */
    int[] checksums(ByteBuffer block, int pages) {
        int[] sums = new int[geometry.pagesPerBlock()];
        for (int page = 0; page < sums.length; page++) {
            if ((pages & 1 << page) != 0) {
                sums[page] = checksum(block, page);
            }
        }
        return sums;
    }

    /** One page as the slot holds it, in a buffer of this thread. */
    ByteBuffer readPage(int slot, int page) throws IOException {
        ByteBuffer bytes = scratch.get().clear().limit(BlockGeometry.PAGE_BYTES);
        read(slot, page * BlockGeometry.PAGE_BYTES, bytes);
        return bytes.flip();
    }

    private static int checksum(ByteBuffer block, int page) {
        int start = page * BlockGeometry.PAGE_BYTES;
        return BlockStore.pageChecksum(block.slice(start, BlockGeometry.PAGE_BYTES));
    }

    private static long bit(int slot) {
        return 1L << (slot & 63);
    }
}
