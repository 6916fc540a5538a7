package org.ssdcache.cleaner;

/** What people call the files that the cleaner knows by number. */
@FunctionalInterface
public interface FileNames {
    /** For who knows no better. */
    FileNames NUMBERS = number -> "file " + number;

    /** A file's path, or whatever else it can be told by; asked only when something failed. */
    String nameOf(int number);
}
