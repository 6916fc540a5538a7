package org.ssdcache.control;

import java.util.Map;
import org.ssdcache.metrics.CounterValues;
import org.ssdcache.metrics.Window;

/**
 * What {@code status} shows of one mount at one moment.
 *
 * @param mode as on the command line
 * @param state clean, dirty, draining, recovering, bypass or error
 * @param cacheUsedBytes blocks in use times the block size
 * @param dirtyBytes bytes that only the cache has
 * @param oldestDirtySeconds age of the oldest of them, 0 when there are none
 * @param writebackRateBytesPerSecond how fast they go home at present
 * @param writebackPercent share of the cache that the cleaner tries to keep dirty at most
 * @param writebackDelaySeconds how long a block stays dirty at least
 * @param counts the counters of every window
 */
public record MountStatus(
        String mountpoint,
        String backing,
        String cache,
        String mode,
        long pid,
        String state,
        long blockSizeBytes,
        long cacheSizeBytes,
        long cacheUsedBytes,
        long sequentialCutoffBytes,
        long dirtyBytes,
        long oldestDirtySeconds,
        long writebackRateBytesPerSecond,
        int writebackPercent,
        int writebackDelaySeconds,
        Map<Window, CounterValues> counts) {

    public MountStatus {
        counts = Map.copyOf(counts);
    }

    /** The share of the cache that holds no dirty data, as bcache counts it. */
    public long cacheAvailablePercent() {
        return cacheSizeBytes == 0 ? 0 : 100 * (cacheSizeBytes - dirtyBytes) / cacheSizeBytes;
    }
}
