/**
 * Which block is in which slot: {@link org.ssdcache.index.BlockIndex} in memory, {@link
 * org.ssdcache.index.FileTable} for the numbers that stand for files, and {@link
 * org.ssdcache.index.MapDbIndex}, the image of both that spares a restart the scan of the store.
 *
 * <p>May use {@code block}. The only package that knows MapDB. Nothing here does I/O on the store,
 * and nothing here is the truth after a crash: the store is.
 *
 * <p>Locks: the free list's lock in {@code BlockIndex}, then a bucket's lock; {@code FileTable} and
 * {@code MapDbIndex} each have their own monitor and call nothing while they hold it, except that
 * {@code MapDbIndex.putChunk} takes bucket locks of the {@code BlockIndex} it copies from.
 */
package org.ssdcache.index;
