package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.block.FileId;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.store.BlockStore;

/**
 * Blocks of one file on their way home. The order is what I1, I3 and I8 rest on: copy under the
 * block's lock, write, sync the backing, mark as clean, sync the journal, and only then let others
 * write these blocks to the backing.
 */
final class CleaningBatch implements CleaningFile {
    private static final Logger LOG = LoggerFactory.getLogger(CleaningBatch.class);

    /** What a batch needs of the engine. */
    record Engine(
            BlockStore store,
            BlockIndex index,
            Slots slots,
            BlockMap map,
            BlockLocks locks,
            BlockClaims fills,
            BlockClaims cleanings,
            DirtyUpdate update,
            FileRecords records,
            PendingLease lease,
            Settlement settlement,
            BlockGeometry geometry) {}

    private final Engine engine;
    private final PendingFile file;
    private final FileId id;
    private final BackingFile backing;
    private final Map<Integer, BlockClaims.Claim> claims = new LinkedHashMap<>();

    /** Clean blocks that are written because they lie between dirty ones. */
    private final List<Integer> fillers = new ArrayList<>();

    /** Behind it nothing was written. */
    private long shortestBytes = Long.MAX_VALUE;

    private boolean unsynced;
    private int dirtyTaken;

    CleaningBatch(Engine engine, PendingFile file, FileId id, BackingFile backing) {
        this.engine = engine;
        this.file = file;
        this.id = id;
        this.backing = backing;
    }

    @Override
    public Taken take(int block, ByteBuffer target) throws IOException {
        try (BlockLocks.Held held = engine.locks().lock(id, block)) {
            int slot = engine.index().lookupLocked(file.number(), block);
            // Once settled, the file may have become pending anew, with another length.
            if (slot == BlockIndex.NONE || claims.containsKey(block) || file.isSettled()) {
                return Taken.NOTHING;
            }
            int valid = engine.index().validPages(slot);
            int dirty = engine.index().dirtyPages(slot);
            int bad = engine.slots().damagedPages(slot, valid);
            if ((bad & dirty) != 0) {
                throw new ErrnoException(
                        Errno.EIO, "dirty block " + block + " is damaged in cache slot " + slot);
            }
            engine.slots().read(slot, 0, target.slice(target.position(), blockBytes()));
            BlockClaims.Claim claim = engine.cleanings().claim(id, block);
            if (claim == null) {
                return Taken.NOTHING;
            }
            claims.put(block, claim);
            if (dirty != 0) {
                unsynced = true;
                dirtyTaken++;
            } else {
                fillers.add(block);
            }
            return new Taken(valid & ~bad, dirty);
        }
    }

    private int blockBytes() {
        return engine.geometry().blockBytes();
    }

    @Override
    public void write(ByteBuffer source, long offsetBytes) throws IOException {
        long sizeBytes = file.attributes().sizeBytes();
        shortestBytes = Math.min(shortestBytes, sizeBytes);
        long lengthBytes = Math.min(source.remaining(), sizeBytes - offsetBytes);
        if (lengthBytes <= 0) {
            return;
        }
        syncTaken();
        engine.lease().ensure();
        ByteBuffer part = source.slice(source.position(), (int) lengthBytes);
        try {
            backing.write(part, offsetBytes);
            backing.startWriteback(offsetBytes, lengthBytes);
        } catch (IOException e) {
            failed();
            throw e;
        } finally {
            // A reader that has the old bytes from the backing must not cache them: when it does,
            // the block may be clean and evicted.
            int first = engine.geometry().blockOf(offsetBytes);
            int last = engine.geometry().blockOf(offsetBytes + lengthBytes - 1);
            engine.fills().overtake(id, first, last);
        }
    }

    /**
     * What goes home is durable in the slot before: else a power cut could leave the slot as it was
     * when it was clean, older than the backing and nobody would know.
     */
    private void syncTaken() throws IOException {
        if (unsynced) {
            engine.store().sync();
            unsynced = false;
        }
    }

    @Override
    public int finish() throws IOException {
        long version = syncBacking();
        int cleaned = 0;
        for (Map.Entry<Integer, BlockClaims.Claim> entry : claims.entrySet()) {
            cleaned += markClean(entry.getKey(), entry.getValue()) ? 1 : 0;
        }
        engine.settlement().complete(file, backing, version);
        engine.store().sync();
        engine.map().releaseDurable();
        return cleaned;
    }

    private long syncBacking() throws IOException {
        try {
            long version = engine.settlement().prepare(file, backing, dirtyTaken);
            backing.sync(version == Settlement.NOT_YET);
            return version;
        } catch (IOException e) {
            failed();
            throw e;
        }
    }

    /** The backing may have lost what it had of the fillers, so they have to be written again. */
    private void failed() {
        engine.records().cleaningFailed(file.number());
        for (int block : fillers) {
            try (BlockLocks.Held held = engine.locks().lock(id, block)) {
                if (lookupLive(block) != BlockIndex.NONE) {
                    engine.update().makeDirty(file.number(), block);
                }
            } catch (IOException e) {
                LOG.error("block {} of inode {} may be lost", block, id.inode(), e);
            }
        }
    }

    /** Unless it was written again after it was copied. */
    private boolean markClean(int block, BlockClaims.Claim claim) throws IOException {
        try (BlockLocks.Held held = engine.locks().lock(id, block)) {
            int slot = lookupLive(block);
            if (slot == BlockIndex.NONE || engine.index().dirtyPages(slot) == 0) {
                return false;
            }
            if (claim.overtaken()) {
                engine.map().cleanedOnce(slot);
                return false;
            }
            if (endOf(block) > shortestBytes && !file.endsBy(shortestBytes)) {
                // A truncate failed that was under way when it was written: not all of it is home.
                return false;
            }
            engine.map().clean(file.number(), block, slot);
            return true;
        }
    }

    /** NONE also if the file is gone: then its slots are being swept up without locks. */
    private int lookupLive(int block) {
        return engine.records().isLive(file.number())
                ? engine.index().lookupLocked(file.number(), block)
                : BlockIndex.NONE;
    }

    private long endOf(int block) {
        return engine.geometry().startOf(block) + blockBytes();
    }

    @Override
    public void close() {
        claims.forEach((block, claim) -> engine.cleanings().release(id, block, claim));
        claims.clear();
        engine.records().endCleaning(file.number(), backing);
    }
}
