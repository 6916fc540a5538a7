package org.ssdcache.file;

/** What tells inodes apart while they exist: st_dev and st_ino. */
record InodeKey(long device, long inode) {}
