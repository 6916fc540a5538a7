package org.ssdcache.testing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.cache.BlockList;
import org.ssdcache.cache.CleaningFile;
import org.ssdcache.cache.DirtyBlocks;

/**
 * A cache full of dirty blocks over a backing disk that takes fake time. Throws an AssertionError
 * when a page is written that is not valid or not what was taken, when a block is taken twice, and
 * when a block would become clean whose dirty pages were not written before the sync.
 */
public final class FakeDirtyBlocks implements DirtyBlocks {
    /** A request to the backing. */
    public record Request(int file, long offsetBytes, int lengthBytes) {}

    private static final int PAGE_BYTES = BlockGeometry.PAGE_BYTES;

    private static final class Block {
        int validPages;
        int dirtyPages;
        long dirtySinceNanos;
        final int[] versions;

        Block(int pages) {
            versions = new int[pages];
        }
    }

    /** All requests, in their order. */
    public final List<Request> requests = new ArrayList<>();

    /** Files whose writes, or only syncs, fail. */
    public final Set<Integer> refusesWrites = new HashSet<>();

    public final Set<Integer> refusesSyncs = new HashSet<>();

    /** Keys of blocks that the disk cannot write; it says so when the file is synced. */
    public final Set<Long> badSpots = new HashSet<>();

    /** Files that cannot be opened. */
    public final Set<Integer> refusesOpen = new HashSet<>();

    /** Files that do not exist any more. */
    public final Set<Integer> gone = new HashSet<>();

    /** Keys of blocks that the cache cannot read. */
    public final Set<Long> unreadable = new HashSet<>();

    /** Blocks that are dirty too, but never listed. */
    public int dirtyElsewhere;

    public int syncs;
    public int takes;
    public int opens;
    public long seekNanos = 8_000_000;
    public double nanosPerByte = 1e9 / 150e6;
    public IntSupplier foregroundReads = () -> 0;
    public long foregroundReadCount;

    /** Runs at each request, before it counts. */
    public Runnable atRequest = () -> {};

    private final FakeClock clock;
    private final BlockGeometry geometry;
    private final int slotCount;
    private final TreeMap<Long, Block> blocks = new TreeMap<>();
    private final Map<Long, int[]> written = new HashMap<>();
    private final Map<Long, int[]> durable = new HashMap<>();
    private int lastVersion;
    private int dirtyCount;
    private int headFile = -1;
    private long headBytes;

    public FakeDirtyBlocks(FakeClock clock, int blockBytes, int slotCount) {
        this.clock = clock;
        this.geometry = new BlockGeometry(blockBytes);
        this.slotCount = slotCount;
    }

    public synchronized void write(int file, int block) {
        write(file, block, geometry.allPages());
    }

    /** An application writes these pages. */
    public synchronized void write(int file, int block, int pages) {
        Block it = cached(file, block);
        if (it.dirtyPages == 0) {
            dirtyCount++;
            it.dirtySinceNanos = clock.monotonicNanos();
        }
        it.validPages |= pages;
        it.dirtyPages |= pages;
        lastVersion++;
        for (int page = 0; page < it.versions.length; page++) {
            if ((pages >>> page & 1) != 0) {
                it.versions[page] = lastVersion;
            }
        }
    }

    /** The cache has read these pages. */
    public synchronized void cache(int file, int block, int pages) {
        cached(file, block).validPages |= pages;
    }

    public synchronized void cache(int file, int block) {
        cache(file, block, geometry.allPages());
    }

    /** A truncate takes a dirty block away. */
    public synchronized void drop(int file, int block) {
        if (blocks.remove(BlockList.key(file, block)).dirtyPages != 0) {
            dirtyCount--;
        }
    }

    private Block cached(int file, int block) {
        return blocks.computeIfAbsent(
                BlockList.key(file, block), key -> new Block(geometry.pagesPerBlock()));
    }

    public synchronized boolean isDirty(int file, int block) {
        Block it = blocks.get(BlockList.key(file, block));
        return it != null && it.dirtyPages != 0;
    }

    /** Whether every cached page is on the backing, durably, where it was ever written. */
    public synchronized boolean isHome(int file, int block) {
        Block it = blocks.get(BlockList.key(file, block));
        int[] there = durable.getOrDefault(BlockList.key(file, block), new int[it.versions.length]);
        for (int page = 0; page < it.versions.length; page++) {
            if (there[page] != it.versions[page]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int blockBytes() {
        return geometry.blockBytes();
    }

    @Override
    public int slotCount() {
        return slotCount;
    }

    @Override
    public synchronized int dirtyCount() {
        return dirtyCount + dirtyElsewhere;
    }

    @Override
    public synchronized long oldestAgeNanos() {
        long oldest = 0;
        for (Block block : blocks.values()) {
            if (block.dirtyPages != 0) {
                oldest = Math.max(oldest, clock.monotonicNanos() - block.dirtySinceNanos);
            }
        }
        return oldest;
    }

    @Override
    public synchronized BlockList list(long minimumAgeNanos) {
        long now = clock.monotonicNanos();
        return new BlockList(
                blocks.entrySet().stream()
                        .filter(entry -> entry.getValue().dirtyPages != 0)
                        .filter(e -> now - e.getValue().dirtySinceNanos >= minimumAgeNanos)
                        .mapToLong(Map.Entry::getKey)
                        .toArray());
    }

    @Override
    public int foregroundReads() {
        return foregroundReads.getAsInt();
    }

    @Override
    public long foregroundReadCount() {
        return foregroundReadCount;
    }

    @Override
    public CleaningFile begin(int file) throws IOException {
        if (refusesOpen.contains(file)) {
            opens++;
            throw new IOException("the file cannot be opened");
        }
        return gone.contains(file) ? null : new Cleaning(file);
    }

    private final class Cleaning implements CleaningFile {
        @SuppressWarnings("ArrayRecordComponent") // never compared
        private record Claim(Taken taken, int[] versions) {}

        private final int file;
        private final TreeMap<Integer, Claim> claims = new TreeMap<>();
        private boolean closed;
        private boolean hitBadSpot;

        Cleaning(int file) {
            this.file = file;
        }

        @Override
        public Taken take(int block, ByteBuffer target) throws IOException {
            check(!closed, "taken after close");
            check(target.remaining() >= blockBytes(), "no room for a block");
            synchronized (FakeDirtyBlocks.this) {
                takes++;
                if (unreadable.contains(BlockList.key(file, block))) {
                    throw new IOException("the SSD cannot be read");
                }
                Block it = blocks.get(BlockList.key(file, block));
                if (it == null) {
                    return new Taken(0, 0);
                }
                check(!claims.containsKey(block), "block " + block + " is taken twice");
                fill(block, it, target.duplicate());
                Taken taken = new Taken(it.validPages, it.dirtyPages);
                claims.put(block, new Claim(taken, it.versions.clone()));
                return taken;
            }
        }

        private void fill(int block, Block it, ByteBuffer target) {
            for (int page = 0; page < it.versions.length; page++) {
                boolean valid = (it.validPages >>> page & 1) != 0;
                ByteBuffer bytes = target.slice(target.position() + page * PAGE_BYTES, PAGE_BYTES);
                bytes.putLong(geometry.startOf(block) + (long) page * PAGE_BYTES);
                bytes.putInt(valid ? it.versions[page] : -1);
            }
        }

        @Override
        public void write(ByteBuffer source, long offsetBytes) throws IOException {
            check(!closed, "written after close");
            check(source.remaining() > 0 && source.remaining() % PAGE_BYTES == 0, "odd length");
            atRequest.run();
            synchronized (FakeDirtyBlocks.this) {
                cost(offsetBytes, source.remaining());
                if (refusesWrites.contains(file)) {
                    throw new IOException("the disk refuses");
                }
                requests.add(new Request(file, offsetBytes, source.remaining()));
                for (int at = 0; at < source.remaining(); at += PAGE_BYTES) {
                    writePage(source.slice(source.position() + at, PAGE_BYTES), offsetBytes + at);
                }
            }
        }

        private void writePage(ByteBuffer page, long offsetBytes) {
            int block = geometry.blockOf(offsetBytes);
            hitBadSpot |= badSpots.contains(BlockList.key(file, block));
            int index = geometry.offsetInBlock(offsetBytes) / PAGE_BYTES;
            check(page.getLong() == offsetBytes, "bytes of another page at " + offsetBytes);
            int version = page.getInt();
            check(version >= 0, "a page that is not valid is written at " + offsetBytes);
            check(claims.containsKey(block), "written without a claim");
            check(claims.get(block).versions()[index] == version, "bytes of another time");
            versions(written, block)[index] = version;
        }

        private int[] versions(Map<Long, int[]> where, int block) {
            return where.computeIfAbsent(
                    BlockList.key(file, block), key -> new int[geometry.pagesPerBlock()]);
        }

        @Override
        public int finish() throws IOException {
            check(!closed, "finished after close");
            synchronized (FakeDirtyBlocks.this) {
                clock.advanceNanos(seekNanos);
                headFile = -1;
                if (refusesSyncs.contains(file) || hitBadSpot) {
                    throw new IOException("the disk cannot sync");
                }
                syncs++;
                int cleaned = 0;
                for (Map.Entry<Integer, Claim> claim : claims.entrySet()) {
                    cleaned += finish(claim.getKey(), claim.getValue()) ? 1 : 0;
                }
                return cleaned;
            }
        }

        private boolean finish(int block, Claim claim) {
            for (int page = 0; page < geometry.pagesPerBlock(); page++) {
                boolean dirty = (claim.taken().dirtyPages() >>> page & 1) != 0;
                boolean there = versions(written, block)[page] == claim.versions()[page];
                check(!dirty || there, "a dirty page of block " + block + " was not written");
            }
            int[] there = versions(written, block);
            System.arraycopy(there, 0, versions(durable, block), 0, there.length);
            Block it = blocks.get(BlockList.key(file, block));
            boolean overtaken = !Arrays.equals(it.versions, claim.versions());
            if (overtaken || it.dirtyPages == 0) {
                return false;
            }
            it.dirtyPages = 0;
            dirtyCount--;
            return true;
        }

        private void cost(long offsetBytes, int lengthBytes) {
            if (headFile != file || headBytes != offsetBytes) {
                clock.advanceNanos(seekNanos);
            }
            headFile = file;
            headBytes = offsetBytes + lengthBytes;
            clock.advanceNanos(Math.round(lengthBytes * nanosPerByte));
        }

        @Override
        public void close() {
            check(!closed, "closed twice");
            closed = true;
        }
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }
}
