/** Threads that do one step again and again until they are told to stop. Uses no other package. */
package org.ssdcache.background;
