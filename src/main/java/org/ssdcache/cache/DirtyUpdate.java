package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.index.FileTable;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.BlockStore;
import org.ssdcache.store.SlotChange;
import org.ssdcache.store.StoreException;

/**
 * Puts bytes that the backing does not get now into one block's slot. The caller holds the block's
 * lock.
 *
 * <p>In place where that cannot hurt: the slot is clean, so that after a crash in between the
 * backing has the older bytes, or no sync has its record yet. A slot whose dirty pages are durable
 * never changes: the block moves to a fresh slot, and after a crash it is in one or the other,
 * whole.
 */
final class DirtyUpdate {
    private final BlockIndex index;
    private final FileTable files;
    private final BlockClaims cleanings;
    private final BlockStore store;
    private final Slots slots;
    private final BlockMap map;
    private final Evictor evictor;
    private final EvictionPolicy policy;
    private final CacheHealth health;
    private final BlockGeometry geometry;

    @SuppressWarnings("ThreadLocalUsage") // the cache lives as long as its threads
    private final ThreadLocal<ByteBuffer> image;

    DirtyUpdate(
            BlockIndex index,
            FileTable files,
            BlockClaims cleanings,
            BlockStore store,
            Slots slots,
            BlockMap map,
            Evictor evictor,
            EvictionPolicy policy,
            CacheHealth health,
            BlockGeometry geometry) {
        this.index = index;
        this.files = files;
        this.cleanings = cleanings;
        this.store = store;
        this.slots = slots;
        this.map = map;
        this.evictor = evictor;
        this.policy = policy;
        this.health = health;
        this.geometry = geometry;
        this.image =
                ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(geometry.blockBytes()));
    }

    /**
     * The bytes of a part of the block are these now.
     *
     * @param oldSizeBytes the file's length before the write: behind it pages are zeros
     * @return false, and nothing changed, if a slot is needed and none is free
     * @throws IOException if a page that is written in part cannot be read, or the slot or the
     *     journal cannot be written
     */
    boolean write(
            int file,
            BackingFile backing,
            int block,
            int skipBytes,
            ByteBuffer part,
            long oldSizeBytes)
            throws IOException {
        int slot = index.lookupLocked(file, block);
        int valid = slot == BlockIndex.NONE ? 0 : soundPages(file, block, slot);
        int touched = geometry.pagesTouched(skipBytes, part.remaining());
        int partial = touched & ~geometry.pagesCovered(skipBytes, part.remaining());
        ByteBuffer data = image.get().clear();
        readPages(slot, partial & valid, data);
        fetchPages(backing, block, partial & ~valid, data, oldSizeBytes);
        boolean copied = valid != 0 && !mayStay(file, block, slot);
        if (copied) {
            readPages(slot, valid & ~touched, data);
        }
        data.put(skipBytes, part, part.position(), part.remaining());
        try (SlotChange change = store.beginChange()) {
            if (valid == 0) {
                return writeNew(file, block, touched, data);
            }
            if (mayStay(file, block, slot) && writeInPlace(file, block, slot, touched, data)) {
                return true;
            }
            if (!copied) {
                // A sync has taken the slot's record since it was asked outside of the change, or
                // the slot cannot be written.
                readPages(slot, valid & ~touched, data);
            }
            return writeMoved(file, block, slot, valid, touched, data);
        }
    }

    /**
     * Whether the slot's durable record allows other bytes. Only certain while a change is under
     * way. While the cleaner has the block, it may be clean without that being durable.
     */
    private boolean mayStay(int file, int block, int slot) {
        int dirtyPages = index.dirtyPages(slot);
        boolean isBeingCleaned = dirtyPages == 0 && cleanings.isClaimed(files.idOf(file), block);
        return store.isYoung(slot) || (!isBeingCleaned && store.mayOverwrite(slot, dirtyPages));
    }

    /** Whether the page that holds this byte is dirty. */
    boolean isDirty(int file, long offsetBytes) {
        int slot = index.lookupLocked(file, geometry.blockOf(offsetBytes));
        int page = geometry.pagesTouched(geometry.offsetInBlock(offsetBytes), 1);
        return slot != BlockIndex.NONE && (index.dirtyPages(slot) & page) != 0;
    }

    /** Whether bytes of a dirty page are zeros; true if the page is not dirty. */
    boolean isZero(int file, long startBytes, int lengthBytes) throws IOException {
        if (!isDirty(file, startBytes)) {
            return true;
        }
        int slot = index.lookupLocked(file, geometry.blockOf(startBytes));
        ByteBuffer bytes = image.get().clear().limit(lengthBytes);
        slots.read(slot, geometry.offsetInBlock(startBytes), bytes);
        for (int i = 0; i < lengthBytes; i++) {
            if (bytes.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Makes bytes of a dirty page zero; a page that is clean or not cached has zeros there. */
    boolean zeroDirty(int file, BackingFile backing, long startBytes, int lengthBytes)
            throws IOException {
        int block = geometry.blockOf(startBytes);
        int skipBytes = geometry.offsetInBlock(startBytes);
        if (!isDirty(file, startBytes)) {
            return true;
        }
        ByteBuffer zeros = ByteBuffer.allocateDirect(lengthBytes);
        return write(file, backing, block, skipBytes, zeros, startBytes);
    }

    /** What is cached of a clean block has to go home: the backing may have lost it. */
    void makeDirty(int file, int block) throws IOException {
        int slot = index.lookupLocked(file, block);
        if (slot == BlockIndex.NONE || index.dirtyPages(slot) != 0) {
            return;
        }
        int valid = soundPages(file, block, slot);
        ByteBuffer data = image.get().clear();
        readPages(slot, valid, data);
        try (SlotChange change = store.beginChange()) {
            map.changeDirty(file, block, slot, valid, slots.checksums(data, valid));
        }
    }

    /**
     * The pages that may be relied on; damaged clean ones are given up.
     *
     * @return 0 if the block is in no slot any more
     */
    private int soundPages(int file, int block, int slot) throws IOException {
        int valid = index.validPages(slot);
        int bad = slots.damagedPages(slot, valid);
        if ((bad & index.dirtyPages(slot)) != 0) {
            throw new ErrnoException(
                    Errno.EIO, "a dirty block in cache slot " + slot + " is damaged");
        }
        if (bad != 0) {
            map.keepOnly(file, block, slot, valid & ~bad);
            // What is left was compared; what is written next is not what was stored.
            slots.setVerified(slot);
        }
        return valid & ~bad;
    }

    private void readPages(int slot, int pages, ByteBuffer block) throws IOException {
        for (int rest = pages; rest != 0; rest &= rest - 1) {
            int start = Integer.numberOfTrailingZeros(rest) * BlockGeometry.PAGE_BYTES;
            slots.read(slot, start, block.slice(start, BlockGeometry.PAGE_BYTES));
        }
    }

    /** A page that is written in part is whole in the slot: the rest comes from the backing. */
    private void fetchPages(
            BackingFile backing, int block, int pages, ByteBuffer target, long oldSizeBytes)
            throws IOException {
        for (int rest = pages; rest != 0; rest &= rest - 1) {
            int start = Integer.numberOfTrailingZeros(rest) * BlockGeometry.PAGE_BYTES;
            long offsetBytes = geometry.startOf(block) + start;
            ByteBuffer page = target.slice(start, BlockGeometry.PAGE_BYTES);
            int known = (int) Math.min(page.capacity(), Math.max(0, oldSizeBytes - offsetBytes));
            int got = known == 0 ? 0 : backing.read(page.limit(known), offsetBytes);
            for (int i = got; i < page.capacity(); i++) {
                target.put(start + i, (byte) 0);
            }
        }
    }

    private boolean writeNew(int file, int block, int pages, ByteBuffer data) throws IOException {
        int slot = take();
        if (slot == BlockIndex.NONE) {
            return false;
        }
        writeRuns(slot, pages, data, true);
        map.publishDirty(file, block, slot, pages, slots.checksums(data, pages));
        return true;
    }

    /**
     * @return false if the slot could not be written: the touched pages are in pieces there, and
     *     the block has to move
     */
    private boolean writeInPlace(int file, int block, int slot, int pages, ByteBuffer data)
            throws IOException {
        try {
            writeRuns(slot, pages, data, false);
        } catch (StoreException e) {
            throw e;
        } catch (IOException e) {
            health.slotFailed(slot, e);
            return false;
        }
        map.changeDirty(file, block, slot, pages, slots.checksums(data, pages));
        policy.touched(slot);
        return true;
    }

    private boolean writeMoved(int file, int block, int slot, int valid, int pages, ByteBuffer data)
            throws IOException {
        int fresh = take();
        if (fresh == BlockIndex.NONE) {
            return false;
        }
        int all = valid | pages;
        writeRuns(fresh, all, data, true);
        map.move(
                file,
                block,
                slot,
                fresh,
                all,
                index.dirtyPages(slot) | pages,
                slots.checksums(data, all));
        return true;
    }

    private int take() {
        int slot = map.take();
        evictor.wakeIfLow();
        if (slot != BlockIndex.NONE) {
            slots.setVerified(slot);
        }
        return slot;
    }

    /** Writes whole pages, neighbours at once. */
    private void writeRuns(int slot, int pages, ByteBuffer data, boolean isOurs)
            throws IOException {
        boolean written = false;
        try {
            for (int rest = pages; rest != 0; ) {
                int first = Integer.numberOfTrailingZeros(rest);
                int length = Integer.numberOfTrailingZeros(~(rest >>> first));
                int start = first * BlockGeometry.PAGE_BYTES;
                slots.write(slot, start, data.slice(start, length * BlockGeometry.PAGE_BYTES));
                rest =
                        first + length == Integer.SIZE
                                ? 0
                                : rest >>> (first + length) << (first + length);
            }
            written = true;
        } finally {
            if (!written && isOurs) {
                map.giveBack(slot);
            }
        }
    }
}
