package org.ssdcache.daemon;

import java.util.Set;
import org.ssdcache.block.FileId;

/**
 * What a flush brings home.
 *
 * @param everything all files, whatever {@code files} holds
 */
record FlushScope(boolean everything, Set<FileId> files) {
    static final FlushScope EVERYTHING = new FlushScope(true, Set.of());

    FlushScope {
        files = Set.copyOf(files);
    }

    static FlushScope of(Set<FileId> files) {
        return new FlushScope(false, files);
    }
}
