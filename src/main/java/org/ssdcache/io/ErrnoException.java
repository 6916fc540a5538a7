package org.ssdcache.io;

import java.io.IOException;

/** A system call failed; carries the errno that the caller of the filesystem must see. */
public final class ErrnoException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    /**
     * @param errno the positive errno
     * @param message what was tried, on which file
     */
    public ErrnoException(int errno, String message) {
        super(message);
        this.errno = errno;
    }

    public int errno() {
        return errno;
    }
}
