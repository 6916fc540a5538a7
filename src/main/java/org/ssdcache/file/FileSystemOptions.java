package org.ssdcache.file;

/**
 * How the mount presents the backing directory.
 *
 * @param inPlace mounted over the backing itself, so that nobody else can change it
 * @param rootGuard what is shown of the backing's root while it is locked
 */
public record FileSystemOptions(boolean inPlace, RootGuard rootGuard) {
    /** Without a guard. */
    public FileSystemOptions(boolean inPlace) {
        this(inPlace, RootGuard.NONE);
    }
}
