package org.ssdcache.store;

/**
 * Which journal records are known to be right about the data of slots.
 *
 * @param durableSequence the highest record whose slot data is known to be on the disk
 * @param kernelLives whether the kernel that had the data still runs: then whatever was written
 *     before its record is there. Only dirty data may be overwritten before the record that says
 *     so.
 */
record Proof(long durableSequence, boolean kernelLives) {
    /** All is durable. */
    static final Proof ALL = new Proof(Long.MAX_VALUE, true);

    /** Whether the data of a MAP or MOVE record need not be asked. */
    boolean covers(long sequence, JournalRecord record) {
        return sequence <= durableSequence || (kernelLives && record.dirtyPages == 0);
    }
}
