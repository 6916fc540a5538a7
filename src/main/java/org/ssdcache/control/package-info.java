/**
 * How people see and steer a running mount: a socket that speaks JSON lines, its client, the words
 * of the protocol and the exit codes. Does not know what a cache is: a daemon implements {@link
 * org.ssdcache.control.MountControl}. Uses {@code metrics} only.
 */
package org.ssdcache.control;
