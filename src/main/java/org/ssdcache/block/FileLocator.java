package org.ssdcache.block;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * Finds a file of the backing again whatever it is called by then: its file handle, as
 * name_to_handle_at(2) gives it.
 *
 * @param handleType the handle's type
 * @param handle the handle's bytes, at most {@link #MAX_BYTES}; none if the filesystem gives no
 *     handles, or longer ones
 */
@SuppressWarnings("ArrayRecordComponent") // copied on the way in and out, compared by content
public record FileLocator(int handleType, byte[] handle) {
    public static final int MAX_BYTES = 28;

    /** The file cannot be found by a handle. */
    public static final FileLocator NONE = new FileLocator(0, new byte[0]);

    /**
     * @throws IllegalArgumentException if the handle is too long
     */
    public FileLocator {
        if (handle.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a file handle of " + handle.length + " bytes; the most is " + MAX_BYTES);
        }
        handle = handle.clone();
    }

    @Override
    public byte[] handle() {
        return handle.clone();
    }

    public boolean isNone() {
        return handle.length == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileLocator locator
                && locator.handleType == handleType
                && Arrays.equals(locator.handle, handle);
    }

    @Override
    public int hashCode() {
        return 31 * handleType + Arrays.hashCode(handle);
    }

    @Override
    public String toString() {
        return handleType + ":" + HexFormat.of().formatHex(handle);
    }
}
