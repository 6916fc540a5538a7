/**
 * A FUSE filesystem that serves the files of a slow directory through a block cache on an SSD.
 *
 * <pre>
 *  cli -> daemon -> mount -> file -> cache -> { store, index } -> io
 *                   cleaner -> cache
 *                   control -> metrics
 *  background: threads that do a step again and again, for cache and cleaner
 *  block: the vocabulary (which file, which block, which page), used by all of them
 * </pre>
 *
 * <p>Each package may use what stands to its right, and nothing points back; {@code
 * ArchitectureTest} holds the arrows. The packages say in their own {@code package-info} what they
 * are for.
 */
package org.ssdcache;
