package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.file.RootGuard;

/** The guard of the cache that a mount has at present. */
final class CurrentGuard implements RootGuard {
    private volatile RootGuard guard = RootGuard.NONE;

    void set(RootGuard guard) {
        this.guard = guard;
    }

    @Override
    public int shownMode(int permissions) {
        return guard.shownMode(permissions);
    }

    @Override
    public void setMode(int rootFd, int permissions) throws IOException {
        guard.setMode(rootFd, permissions);
    }

    @Override
    public boolean isLocked() {
        return guard.isLocked();
    }

    @Override
    public boolean isHidden(ByteBuffer name) {
        return guard.isHidden(name);
    }
}
