package org.ssdcache.file;

/**
 * How the mount presents the backing directory.
 *
 * @param inPlace mounted over the backing itself, so that nobody else can change it
 */
public record FileSystemOptions(boolean inPlace) {}
