package org.ssdcache.daemon;

import java.util.Locale;

/** What becomes of a file that has changes in the cache and was changed behind it, too. */
public enum ConflictChoice {
    /** Nothing: the mount is refused, with a list of such files. */
    REFUSE,
    /** The cache's changes go home over those that were made behind it. */
    CACHE,
    /** The cache's changes of such files are given up. */
    BACKING;

    /** The name on the command line and in fstab. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
