package org.ssdcache.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.io.Posix;

/**
 * What the mount shows of the backing's root while that is locked on the disk, so that nobody uses
 * it past the cache (I12).
 */
public interface RootGuard {
    /** Of a root that is never locked. */
    RootGuard NONE =
            new RootGuard() {
                @Override
                public int shownMode(int permissions) {
                    return permissions;
                }

                @Override
                public void setMode(int rootFd, int permissions) throws IOException {
                    Posix.chmod(rootFd, permissions);
                }

                @Override
                public boolean isLocked() {
                    return false;
                }

                @Override
                public boolean isHidden(ByteBuffer name) {
                    return false;
                }
            };

    /** The permission bits that the root is to show when the disk has these. */
    int shownMode(int permissions);

    /**
     * Sets the permission bits that the root shows.
     *
     * @param rootFd the root, also opened O_PATH
     */
    void setMode(int rootFd, int permissions) throws IOException;

    /** Whether the permissions on the disk are not the ones that are shown. */
    boolean isLocked();

    /**
     * Whether a name in the root does not exist for users of the mount.
     *
     * @param name its bytes between position and limit, without a NUL
     */
    boolean isHidden(ByteBuffer name);
}
