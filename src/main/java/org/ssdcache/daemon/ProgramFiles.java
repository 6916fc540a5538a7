package org.ssdcache.daemon;

/**
 * The jars of the program. A daemon may live for months, and an upgrade replaces and removes them
 * meanwhile.
 */
final class ProgramFiles {
    private static final String NOWHERE = "org/ssdcache/in-none-of-the-jars";

    private ProgramFiles() {}

    /** Opens all jars, for as long as this process lives. */
    static void holdOpen() {
        holdOpen(ClassLoader.getSystemClassLoader());
    }

    /**
     * A class loader opens a jar when it first looks for something in it, and keeps it open. What
     * is in none of them is looked for in all of them.
     */
    static void holdOpen(ClassLoader loader) {
        if (loader.getResource(NOWHERE) != null) {
            throw new IllegalStateException(NOWHERE + " was found");
        }
    }
}
