/**
 * The only place that knows FUSE: libfuse 2's low-level interface, its structures, its callbacks
 * and its session. Unpacks arguments, calls {@code file}, turns exceptions into errno. May use
 * {@code file}, {@code cache} (for what a read delivers) and {@code io}.
 */
package org.ssdcache.mount;
