package org.ssdcache.file;

import org.ssdcache.cache.CachedFile;

/**
 * One open(2) of a regular file.
 *
 * @param inode the file
 * @param cached the same file for the cache
 */
record FileHandle(Inode inode, CachedFile cached) {}
