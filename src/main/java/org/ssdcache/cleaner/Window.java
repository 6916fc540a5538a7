package org.ssdcache.cleaner;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.cache.CleaningFile.Taken;

/**
 * Blocks of one file, one after the other without a hole, in one buffer, and which of their pages
 * are written: from dirty page to dirty page over valid ones, as far as the gaps between are
 * narrow. A page that is not valid is never written; clean pages at the ends are not either.
 *
 * <p>For one thread.
 */
final class Window {
    private static final int PAGE_BYTES = BlockGeometry.PAGE_BYTES;

    /** Where the window's pages go. */
    interface Sink {
        /** Writes the bytes between position and limit. */
        void write(ByteBuffer source, long offsetBytes) throws IOException;
    }

    private final ByteBuffer buffer;
    private final BlockGeometry geometry;
    private final int capacity;
    private final int[] validPages;
    private final int[] dirtyPages;
    private int first;
    private int count;

    /**
     * @param buffer has room for at least one block
     */
    Window(ByteBuffer buffer, BlockGeometry geometry) {
        this.buffer = buffer;
        this.geometry = geometry;
        this.capacity = buffer.capacity() / geometry.blockBytes();
        this.validPages = new int[capacity];
        this.dirtyPages = new int[capacity];
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** The block that can be added next, of a window that is not empty. */
    int next() {
        return first + count;
    }

    int bytes() {
        return count * geometry.blockBytes();
    }

    void clear() {
        count = 0;
    }

    /** Whether there is a place for the block, with those before it, in a window not empty. */
    boolean hasPlaceFor(int block) {
        return block >= next() && block - first < capacity;
    }

    /** Where the bytes of a block go. The first one of an empty window comes first. */
    ByteBuffer place(int block) {
        int index = count == 0 ? 0 : block - first;
        return buffer.slice(index * geometry.blockBytes(), geometry.blockBytes())
                .order(buffer.order());
    }

    /** Adds a block, whose bytes are in its place: the next one, or any if the window is empty. */
    void add(int block, Taken taken) {
        if (count == 0) {
            first = block;
        } else if (block != next()) {
            throw new IllegalArgumentException("block " + block + " is not next to the others");
        }
        validPages[count] = taken.validPages();
        dirtyPages[count] = taken.dirtyPages();
        count++;
    }

    /** Begins again with a block whose bytes are in its place. */
    void restartWith(int block, Taken taken) {
        int index = block - first;
        buffer.put(0, buffer, index * geometry.blockBytes(), geometry.blockBytes());
        count = 0;
        add(block, taken);
    }

    /**
     * The bytes between the last dirty page and the first one of a later block, if all that is
     * known of the stretch between them is valid, but for the blocks in between.
     *
     * @return -1 if a page on the way is not valid
     */
    long gapBytes(int block, Taken taken) {
        int pages = geometry.pagesPerBlock();
        int last = lastDirtyPage();
        for (int page = last + 1; page < count * pages; page++) {
            if (!has(validPages, page)) {
                return -1;
            }
        }
        int headPages = Integer.numberOfTrailingZeros(taken.dirtyPages());
        int head = headPages == 0 ? 0 : -1 >>> (Integer.SIZE - headPages);
        if ((taken.validPages() & head) != head) {
            return -1;
        }
        return ((long) (block - first) * pages + headPages - last - 1) * PAGE_BYTES;
    }

    private int lastDirtyPage() {
        int page = count * geometry.pagesPerBlock() - 1;
        while (page >= 0 && !has(dirtyPages, page)) {
            page--;
        }
        return page;
    }

    /**
     * Writes every dirty page, and the gaps of clean valid ones between them that are not wider
     * than this.
     */
    void writeTo(Sink sink, long widestGapBytes) throws IOException {
        int start = -1;
        int end = -1;
        for (int page = 0; page < count * geometry.pagesPerBlock(); page++) {
            boolean dirty = has(dirtyPages, page);
            boolean wide = (long) (page - end) * PAGE_BYTES > widestGapBytes;
            if (start >= 0 && (!has(validPages, page) || (dirty && wide && page > end))) {
                write(sink, start, end);
                start = -1;
            }
            if (dirty) {
                start = start < 0 ? page : start;
                end = page + 1;
            }
        }
        if (start >= 0) {
            write(sink, start, end);
        }
    }

    private void write(Sink sink, int startPage, int endPage) throws IOException {
        ByteBuffer bytes = buffer.slice(startPage * PAGE_BYTES, (endPage - startPage) * PAGE_BYTES);
        sink.write(
                bytes.order(buffer.order()),
                geometry.startOf(first) + (long) startPage * PAGE_BYTES);
    }

    private boolean has(int[] masks, int page) {
        int pages = geometry.pagesPerBlock();
        return (masks[page / pages] >>> page % pages & 1) != 0;
    }

    @Override
    public String toString() {
        return String.format(
                "blocks %d to %d, dirty %s",
                first, next() - 1, Arrays.toString(Arrays.copyOf(dirtyPages, count)));
    }
}
