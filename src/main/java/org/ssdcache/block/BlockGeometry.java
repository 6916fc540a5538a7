package org.ssdcache.block;

/**
 * Block and page arithmetic for one block size. A page (4 KiB) is the unit of validity inside a
 * block; a set of pages of one block is an {@code int} mask, bit 0 being the first page.
 */
public final class BlockGeometry {
    public static final int PAGE_BYTES = 4096;
    public static final int MIN_BLOCK_BYTES = 8 << 10;
    public static final int MAX_BLOCK_BYTES = 128 << 10;
    public static final int DEFAULT_BLOCK_BYTES = 16 << 10;

    private final int blockBytes;
    private final int blockShift;

    /**
     * @throws IllegalArgumentException unless the size is a power of two from 8 KiB to 128 KiB
     */
    public BlockGeometry(int blockBytes) {
        if (!isBlockSize(blockBytes)) {
            throw new IllegalArgumentException(
                    "block size must be a power of two from 8K to 128K, not " + blockBytes);
        }
        this.blockBytes = blockBytes;
        this.blockShift = Integer.numberOfTrailingZeros(blockBytes);
    }

    /** Whether a cache can be made with blocks of this size. */
    public static boolean isBlockSize(long bytes) {
        return bytes >= MIN_BLOCK_BYTES && bytes <= MAX_BLOCK_BYTES && Long.bitCount(bytes) == 1;
    }

    public int blockBytes() {
        return blockBytes;
    }

    public int pagesPerBlock() {
        return blockBytes / PAGE_BYTES;
    }

    /** The mask of every page of a block. */
    public int allPages() {
        return pagesPerBlock() == Integer.SIZE ? -1 : (1 << pagesPerBlock()) - 1;
    }

    /**
     * The number of the block that holds this byte of a file.
     *
     * @throws IllegalArgumentException beyond 2^31 blocks (16 TiB with blocks of 8 KiB, which is
     *     ext4's own limit with 4 KiB blocks)
     */
    public int blockOf(long offsetBytes) {
        long block = offsetBytes >> blockShift;
        if (block < 0 || block > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("no block holds file offset " + offsetBytes);
        }
        return (int) block;
    }

    /** The length of the longest file whose every byte has a block number. */
    public long maxFileBytes() {
        return (long) blockBytes << (Integer.SIZE - 1);
    }

    public long startOf(int block) {
        return (long) block << blockShift;
    }

    public int offsetInBlock(long offsetBytes) {
        return (int) (offsetBytes & (blockBytes - 1));
    }

    /**
     * Where the page ends that holds the byte before this offset; the offset itself at a border.
     */
    public static long pageEnd(long offsetBytes) {
        return (offsetBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    /** Pages that a byte range inside one block touches, also partly. */
    public int pagesTouched(int skipBytes, int lengthBytes) {
        if (lengthBytes == 0) {
            return 0;
        }
        int first = skipBytes / PAGE_BYTES;
        int last = (skipBytes + lengthBytes - 1) / PAGE_BYTES;
        return pageRange(first, last + 1);
    }

    /** Pages that lie wholly inside a byte range of one block. */
    public int pagesCovered(int skipBytes, int lengthBytes) {
        int first = (skipBytes + PAGE_BYTES - 1) / PAGE_BYTES;
        int end = (skipBytes + lengthBytes) / PAGE_BYTES;
        return first >= end ? 0 : pageRange(first, end);
    }

    private static int pageRange(int first, int end) {
        int below = end == Integer.SIZE ? -1 : (1 << end) - 1;
        return below & -(1 << first);
    }
}
