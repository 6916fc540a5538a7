package org.ssdcache.cache;

import java.util.Locale;

/** What happens to writes, with bcache's names. Reads are cached in every mode but {@code none}. */
public enum CacheMode {
    /** The backing first, then the slot. */
    WRITETHROUGH,
    /** The slot only; the cleaner brings it to the backing later. */
    WRITEBACK,
    /** The backing only; a cached copy of the block is dropped. */
    WRITEAROUND,
    /** Everything goes to the backing and nothing is admitted. */
    NONE;

    /** The name on the command line, in fstab and in {@code status}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
