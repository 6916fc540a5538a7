package org.ssdcache.mount;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.file.FileSystem;
import org.ssdcache.file.KnownName;
import org.ssdcache.io.Errno;

/**
 * Makes the kernel forget names, and with them inodes, when their descriptors run short.
 *
 * <p>The kernel takes the lock of the directory for it, which it may hold for a request that is
 * being served: so this has a thread of its own, which may block, and which no request waits for.
 */
final class Forgetter implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Forgetter.class);

    private final LibFuse fuse;
    private final FileSystem files;
    private final long channel;

    Forgetter(LibFuse fuse, FileSystem files, long channel) {
        this.fuse = fuse;
        this.files = files;
        this.channel = channel;
    }

    /** Ends with {@link FileSystem#stopForgetting}. */
    @Override
    public void run() {
        List<KnownName> names = files.awaitIdleNames();
        while (!names.isEmpty()) {
            names.forEach(this::forget);
            names = files.awaitIdleNames();
        }
    }

    private void forget(KnownName known) {
        byte[] name = known.name();
        int result =
                fuse.fuse_lowlevel_notify_inval_entry(
                        channel, known.parentNumber(), name, name.length - 1);
        // ENOENT: forgotten already, or renamed.
        if (result != 0 && result != -Errno.ENOENT) {
            LOG.debug("the kernel does not forget a name: {}", Errno.describe(-result));
        }
    }
}
