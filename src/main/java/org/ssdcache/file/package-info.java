/**
 * What an inode and an open handle mean: the inodes that the kernel knows, open files, names,
 * attributes, and whose files new ones are. Works on descriptors and single names, never on paths,
 * so that nothing outside the backing directory can be reached. May use {@code cache}, {@code
 * block} and {@code io}.
 */
package org.ssdcache.file;
