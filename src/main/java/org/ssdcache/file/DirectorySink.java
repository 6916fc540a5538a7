package org.ssdcache.file;

import java.nio.ByteBuffer;

/** Receives the entries of a directory. */
public interface DirectorySink {
    /**
     * One entry.
     *
     * @param name its bytes, from position to limit, without a final NUL
     * @param type d_type, 0 when unknown
     * @param nextOffset where a later read goes on after this entry
     * @return false if there is no room for it; it then comes again
     */
    boolean entry(long inode, long nextOffset, int type, ByteBuffer name);
}
