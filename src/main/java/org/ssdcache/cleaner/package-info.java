/**
 * Brings dirty blocks home to the backing: which, when, how fast, and in which order. {@link
 * org.ssdcache.cleaner.Cleaner} is what the layers above see; it decides when. {@link
 * org.ssdcache.cleaner.CleanPass} walks a list of dirty blocks in the order of the disk, {@link
 * org.ssdcache.cleaner.Window} makes large writes of them, {@link org.ssdcache.cleaner.DiskModel}
 * knows what a request costs. Uses {@code cache}, {@code background}, {@code io} and {@code block}.
 *
 * <p>A block becomes clean only after all its dirty pages were written and its file was synced.
 * Whatever fails leaves the block dirty (invariants I4 and I8 of src/docs/ARCHITECTURE.md).
 *
 * <p>Locks: the lane (one batch at a time, with disk I/O); under it the engine's, and those of who
 * knows the names of files ({@code FileNames}). The monitors of {@code Throttle}, {@code Cleaner},
 * {@code Backoff} and {@code RateMeter} are held for memory only and never together.
 */
package org.ssdcache.cleaner;
