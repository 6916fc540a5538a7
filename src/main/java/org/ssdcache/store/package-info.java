/**
 * The bytes on the SSD: one preallocated file with superblock, journal, tables and slots, described
 * byte by byte in {@code src/docs/ON-DISK-FORMAT.md}.
 *
 * <p>May use {@code block} and {@code io}. Everything that must outlive a crash goes through {@link
 * org.ssdcache.store.BlockStore}, and only here is decided what of it is believed afterwards.
 *
 * <p>Locks, in the order in which they are taken; each may be taken alone:
 *
 * <ol>
 *   <li>the checkpoint lock: tables and superblock are written under it, with disk I/O
 *   <li>the turn in {@code GroupCommit}: one thread syncs at a time, with disk I/O
 *   <li>the journal's write lock: blocks are written in order under it, with disk I/O
 *   <li>the change gate: shared by those who write a slot and record it, exclusive for the moment
 *       in which a sync takes the records
 *   <li>the journal's append lock: memory only, so that appending stays cheap
 * </ol>
 *
 * Callers may hold locks of their own while they append. So whoever runs a checkpoint needs none of
 * those, else an appender that waits for room in the journal would wait for ever. Inside a change
 * ({@link org.ssdcache.store.BlockStore#beginChange}) nobody waits for room, and nobody may wait
 * for a lock whose holder does.
 */
package org.ssdcache.store;
