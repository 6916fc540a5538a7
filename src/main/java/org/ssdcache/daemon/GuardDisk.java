package org.ssdcache.daemon;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * What {@link BackingGuard} does to the disks. Each method happens whole or not at all, whatever
 * crashes; those that change the backing directory are durable after {@link #syncBacking}.
 */
interface GuardDisk extends Closeable {
    /** The permission bits of the backing directory. */
    int mode() throws IOException;

    void setMode(int permissions) throws IOException;

    /** The text of the marker in the backing directory, if there is one. */
    Optional<String> marker() throws IOException;

    void replaceMarker(String text) throws IOException;

    /** Also what an interrupted {@link #replaceMarker} left behind. */
    void removeMarker() throws IOException;

    void syncBacking() throws IOException;

    /** The text of the file in the cache directory, if there is one. */
    Optional<String> record() throws IOException;

    /** Durable on return. */
    void replaceRecord(String text) throws IOException;

    /** Durable on return. */
    void removeRecord() throws IOException;
}
