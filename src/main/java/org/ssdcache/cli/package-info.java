/**
 * The commands. Each reads its arguments, asks {@code daemon} or, through {@code control}, a
 * running daemon, and turns the answer into text and an exit code. COMMAND-LINE.md describes what
 * may be relied on.
 */
package org.ssdcache.cli;
