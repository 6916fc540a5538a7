/**
 * The seam to the operating system: positional file I/O that tests replace by a faulty disk, the
 * clock, and the system calls that Java has no method for. Uses no other package.
 */
package org.ssdcache.io;
