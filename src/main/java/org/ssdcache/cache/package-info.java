/**
 * The engine: which blocks of which files are in which slots, and what a read, a write, a truncate
 * and a sync do about it. {@link org.ssdcache.cache.ReadPath} and {@link
 * org.ssdcache.cache.WritePath} are each one screen; {@link org.ssdcache.cache.BlockCache} is what
 * the layers above see. Uses {@code backing}, {@code store}, {@code index}, {@code metrics}, {@code
 * io} and {@code block}.
 *
 * <h2>Invariants</h2>
 *
 * The numbers are those of src/docs/ARCHITECTURE.md.
 *
 * <ul>
 *   <li>I2: a hit is validated after its bytes were read ({@code BlockIndex} stamps); a fill is
 *       published only if no write to its block was issued since it was claimed ({@link
 *       org.ssdcache.cache.BlockClaims}); a slot is used again only after its removal is durable
 *       ({@link org.ssdcache.cache.Evictor}).
 *   <li>I1: what is dirty is durable with the journal's sync ({@link
 *       org.ssdcache.cache.DirtyUpdate}); it is marked clean only after a sync of the backing
 *       ({@link org.ssdcache.cache.CleaningBatch}).
 *   <li>I4: the evictor passes over dirty slots.
 *   <li>I6: a file whose facts are not those the daemon left loses its blocks ({@link
 *       org.ssdcache.cache.FileRecords}).
 *   <li>I7: an SSD error turns a hit into a miss ({@link org.ssdcache.cache.CacheHealth}).
 *   <li>I9: before the backing is changed, the region is durably marked ({@link
 *       org.ssdcache.cache.WriteIntents}), so that a crash costs only the marked regions.
 * </ul>
 *
 * <h2>Lock order</h2>
 *
 * Taken from left to right, never the other way round; each may be skipped:
 *
 * <pre>
 *  Interval (shared by changes)  ->  CachedFile.resizing  ->  BlockLocks stripes, ascending
 *      ->  FileRecords  ->  CachedFile  ->  WriteIntents  ->  PendingFile
 *      ->  BlockStore change gate  ->  BlockIndex bucket, FileTable  ->  BlockStore journal
 * </pre>
 *
 * Whoever waits for room in the journal may hold any of these; the checkpoint, which makes the
 * room, takes none of those before the journal's. A claim in {@link org.ssdcache.cache.BlockClaims}
 * is not a lock: who holds claims never waits for another's claim.
 */
package org.ssdcache.cache;
