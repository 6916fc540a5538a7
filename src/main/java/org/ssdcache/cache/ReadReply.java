package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where a read's bytes go. */
@FunctionalInterface
public interface ReadReply {
    /**
     * Called exactly once per successful read, as soon as the bytes are known; the cache may go on
     * working for itself in the same thread afterwards.
     *
     * @param data valid only during the call; fewer bytes than asked for mean the end of the file
     */
    void deliver(ByteBuffer data) throws IOException;
}
