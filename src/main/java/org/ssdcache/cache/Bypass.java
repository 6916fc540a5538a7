package org.ssdcache.cache;

/** Decides which requests go around the cache, and why. */
final class Bypass {
    private final SequentialStreams streams;
    private final CacheHealth health;
    private volatile CacheMode mode;

    Bypass(SequentialStreams streams, CacheHealth health, CacheMode mode) {
        this.streams = streams;
        this.health = health;
        this.mode = mode;
    }

    CacheMode mode() {
        return mode;
    }

    void setMode(CacheMode mode) {
        this.mode = mode;
    }

    /** Why this read is not to be admitted; null when it is. */
    BypassReason ofRead(CachedFile file, long offsetBytes, int lengthBytes, int task) {
        boolean sequential = streams.bypasses(file.id(), offsetBytes, lengthBytes, task);
        if (!health.usable()) {
            return BypassReason.ERROR;
        }
        if (mode == CacheMode.NONE) {
            return BypassReason.MODE;
        }
        return sequential ? BypassReason.SEQUENTIAL : null;
    }

    /** Why this write is not to be admitted; null when it is. */
    BypassReason ofWrite(CachedFile file, long offsetBytes, int lengthBytes, int task) {
        boolean sequential = streams.bypasses(file.id(), offsetBytes, lengthBytes, task);
        if (!health.usable()) {
            return BypassReason.ERROR;
        }
        return switch (mode) {
            case WRITEBACK -> null; // the cleaner makes one stream of it again
            case WRITETHROUGH -> sequential ? BypassReason.SEQUENTIAL : null;
            case WRITEAROUND, NONE -> BypassReason.MODE;
        };
    }
}
