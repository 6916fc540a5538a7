package org.ssdcache.file;

/**
 * What the kernel learns from open and create.
 *
 * @param inode the file; a create counts a reference to it, an open does not
 * @param handle the handle's number
 * @param keepPages whether pages that the kernel has of this file are still right
 */
public record OpenResult(Inode inode, int handle, boolean keepPages) {}
