/**
 * Bytes on the slow disk: the data of one open file, counted. Uses {@code io}, {@code metrics} and
 * {@code block}.
 */
package org.ssdcache.backing;
