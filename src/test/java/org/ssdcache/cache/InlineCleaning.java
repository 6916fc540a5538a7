package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.block.BlockGeometry;

/** The simplest cleaner there can be: in the calling thread, page by page. */
final class InlineCleaning implements CleaningService {
    private final DirtyBlocks dirty;

    InlineCleaning(DirtyBlocks dirty) {
        this.dirty = dirty;
    }

    /** Brings everything home that is dirty now. */
    void cleanAll() throws IOException {
        clean(dirty.list(0), 0, Integer.MAX_VALUE, -1);
    }

    @Override
    public void beforeDirty(int blocks) {}

    @Override
    public void dirtied() {}

    @Override
    public void cleanNow(int file, int firstBlock, int lastBlock) throws IOException {
        clean(dirty.list(0), firstBlock, lastBlock, file);
    }

    private void clean(BlockList list, int firstBlock, int lastBlock, int onlyFile)
            throws IOException {
        for (int i = 0; i < list.size(); ) {
            int file = list.file(i);
            int end = i;
            while (end < list.size() && list.file(end) == file) {
                end++;
            }
            if (onlyFile == -1 || onlyFile == file) {
                cleanFile(list, i, end, firstBlock, lastBlock);
            }
            i = end;
        }
    }

    private void cleanFile(BlockList list, int from, int end, int firstBlock, int lastBlock)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(dirty.blockBytes());
        try (CleaningFile file = dirty.begin(list.file(from))) {
            if (file == null) {
                return;
            }
            for (int i = from; i < end; i++) {
                int block = list.block(i);
                if (block >= firstBlock && block <= lastBlock) {
                    writePages(file, block, file.take(block, buffer), buffer);
                }
            }
            file.finish();
        }
    }

    private void writePages(
            CleaningFile file, int block, CleaningFile.Taken taken, ByteBuffer buffer)
            throws IOException {
        for (int rest = taken.dirtyPages(); rest != 0; rest &= rest - 1) {
            int start = Integer.numberOfTrailingZeros(rest) * BlockGeometry.PAGE_BYTES;
            file.write(
                    buffer.slice(start, BlockGeometry.PAGE_BYTES),
                    (long) block * dirty.blockBytes() + start);
        }
    }
}
