package org.ssdcache.cleaner;

import org.ssdcache.block.BlockGeometry;
import org.ssdcache.cache.DirtyBlocks;
import org.ssdcache.io.Clock;
import org.ssdcache.io.DirectBuffers;

/**
 * What a batch works with; used by one batch at a time.
 *
 * @param window holds one write
 * @param model learns what the batches take
 * @param failures tells which blocks are to be handled with care
 */
record LaneTools(
        DirtyBlocks dirty,
        BlockGeometry geometry,
        Window window,
        DiskModel model,
        Failures failures,
        Clock clock) {
    /** The longest write. Longer ones save no seek worth it: this one takes 27 ms at 150 MB/s. */
    static final int WINDOW_BYTES = 4 << 20;

    static LaneTools of(DirtyBlocks dirty, Clock clock, FileNames names) {
        BlockGeometry geometry = new BlockGeometry(dirty.blockBytes());
        Window window = new Window(DirectBuffers.allocateAligned(WINDOW_BYTES), geometry);
        return new LaneTools(
                dirty, geometry, window, new DiskModel(), new Failures(clock, names), clock);
    }
}
