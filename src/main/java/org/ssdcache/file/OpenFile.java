package org.ssdcache.file;

import org.ssdcache.cache.CachedFile;

/** A regular file while it has handles: one for all of them. */
final class OpenFile {
    private final CachedFile cached;
    private final DataFile data;

    /** Belongs to the inode's lock. */
    int handles;

    OpenFile(CachedFile cached, DataFile data) {
        this.cached = cached;
        this.data = data;
    }

    CachedFile cached() {
        return cached;
    }

    DataFile data() {
        return data;
    }
}
