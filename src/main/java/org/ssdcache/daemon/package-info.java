/**
 * One mount's life: what is checked before it, how everything is built in order and closed in
 * reverse, how the process goes to the background. The only package that knows all the others;
 * {@link org.ssdcache.daemon.Daemon} puts them together.
 */
package org.ssdcache.daemon;
