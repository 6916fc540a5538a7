/**
 * What the cache counts, and the same counts over the last day, hour and five minutes. Uses {@code
 * io} for the clock and for replacing files, nothing else.
 */
package org.ssdcache.metrics;
