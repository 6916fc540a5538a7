package org.ssdcache.metrics;

import java.util.Locale;

/**
 * Everything the cache counts. The names in lower case are the names in {@code status --json} and
 * in the saved history: a stable interface, never renamed, never used again for something else.
 */
public enum Counter {
    /** Reads answered from the cache alone. */
    CACHE_HITS,
    /** Reads of which the cache held some bytes. */
    CACHE_PARTIAL_HITS,
    /** Reads of which the cache held nothing. */
    CACHE_MISSES,
    /** Bytes answered from the cache. */
    CACHE_HIT_BYTES,
    /** Bytes that had to come from the backing and were candidates for the cache. */
    CACHE_MISS_BYTES,
    /** Bytes read and written past the cache on purpose, whatever the reason. */
    BYPASSED_BYTES,
    /** Requests past the cache because they belonged to a sequential stream. */
    BYPASSED_SEQUENTIAL,
    /** Blocks not cached because no slot was free in time: the evictor is behind. */
    BYPASSED_CONGESTED,
    /** Blocks not cached because the cache knows as many files as it can. */
    BYPASSED_FILES,
    /** Requests past the cache because the mode says so. */
    BYPASSED_MODE,
    /** Requests past the cache because the SSD failed. */
    BYPASSED_ERROR,
    /** Fills thrown away because the block was written or dropped meanwhile. */
    CACHE_MISS_COLLISIONS,
    /** Clean blocks that made room for others. */
    EVICTIONS,
    /** Bytes of blocks written to the SSD. */
    SSD_WRITTEN_BYTES,
    /** Bytes of blocks read from the SSD. */
    SSD_READ_BYTES,
    /** Bytes written to the backing directory. */
    BACKING_WRITTEN_BYTES,
    /** Bytes read from the backing directory. */
    BACKING_READ_BYTES,
    /** Failed calls to the SSD. */
    SSD_ERRORS,
    /** Failed calls to the backing directory. */
    BACKING_ERRORS;

    private static final Counter[] ALL = values();

    private final String label = name().toLowerCase(Locale.ROOT);

    /** The stable name, as in {@code cache_hits}. */
    public String label() {
        return label;
    }

    /** Place in an array of all counters; for the memory of one process, never stored. */
    @SuppressWarnings("EnumOrdinal") // an EnumMap of LongAdder would cost a lookup per count
    int index() {
        return ordinal();
    }

    static int count() {
        return ALL.length;
    }
}
