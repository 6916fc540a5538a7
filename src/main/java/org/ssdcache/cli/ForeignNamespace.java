package org.ssdcache.cli;

import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/**
 * {@code mount -N} and {@code umount -N}: mount(8) hands the namespace on and leaves it to its
 * helper to enter it. A daemon there would find neither its cache nor its programs, so it is
 * refused.
 */
final class ForeignNamespace {
    private ForeignNamespace() {}

    /**
     * Refuses one that is given.
     *
     * @param namespace null if none is
     */
    static void refuse(String namespace) throws RefusedException {
        if (namespace != null) {
            throw new RefusedException(
                    ExitCode.USAGE,
                    "An ssdcache mount in another mount namespace is made from within: use"
                            + " nsenter(1) instead of -N.");
        }
    }
}
