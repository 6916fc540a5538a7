package org.ssdcache.store;

import java.io.IOException;

/**
 * A change of a slot's data together with the records that say so: no sync makes one durable
 * without the other. Begun by {@link BlockStore#beginChange} and closed by the same thread.
 */
public interface SlotChange extends AutoCloseable {
    /**
     * Ends the change; syncs that waited for it go on. Writes the journal if much waits.
     *
     * @throws IOException if the journal could not be written; the change has ended all the same
     */
    @Override
    void close() throws IOException;
}
