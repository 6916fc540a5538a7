/** Disks that tests can hold in memory, break and pull the plug of, and a clock they can move. */
package org.ssdcache.testing;
