/**
 * The words of the cache as values: which file, which block of it, which page of the block. Pure
 * arithmetic without I/O; uses no other package.
 */
package org.ssdcache.block;
