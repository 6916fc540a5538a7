package org.ssdcache.file;

import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.Posix;
import org.ssdcache.io.ThreadCapabilities;

/**
 * Lets the calling thread make files as somebody else, for one call.
 *
 * <p>New files then get their owner, group, default ACL and quota from the backing filesystem by
 * its own rules. The thread keeps its capabilities: whether the caller may do it was decided by the
 * kernel when it let the request through (default_permissions), with all of the caller's groups.
 *
 * <p>A daemon that is not root serves only its own user, and there is nothing to change.
 */
final class CallerIdentity {
    private static final int DAEMON_UID = Posix.effectiveUid();
    private static final int DAEMON_GID = Posix.effectiveGid();
    private static final ThreadLocal<ThreadCapabilities> CAPABILITIES = new ThreadLocal<>();
    private static final ThreadLocal<Boolean> OWN_UMASK = ThreadLocal.withInitial(() -> false);

    private CallerIdentity() {}

    /** A call that makes something and returns nothing. */
    interface Action {
        void run() throws ErrnoException;
    }

    /** A call that makes something and returns its descriptor. */
    interface IntAction {
        int run() throws ErrnoException;
    }

    /** Gives the calling thread a umask of its own, which it takes from each caller. */
    static void prepareThread() throws ErrnoException {
        Posix.separateUmask();
        OWN_UMASK.set(true);
        if (DAEMON_UID == 0) {
            capabilities().obeyQuotas();
        }
    }

    static void run(Caller caller, Action action) throws ErrnoException {
        call(
                caller,
                () -> {
                    action.run();
                    return 0;
                });
    }

    static int call(Caller caller, IntAction action) throws ErrnoException {
        if (OWN_UMASK.get()) {
            Posix.umask(caller.umask());
        }
        if (isDaemon(caller)) {
            return action.run();
        }
        ThreadCapabilities capabilities = capabilities();
        try {
            Posix.setFilesystemOwner(caller.uid(), caller.gid());
            capabilities.restore();
            return action.run();
        } finally {
            // Going back to uid 0 makes the kernel give back the capabilities it took.
            Posix.setFilesystemOwner(DAEMON_UID, DAEMON_GID);
        }
    }

    private static boolean isDaemon(Caller caller) {
        return DAEMON_UID != 0 || (caller.uid() == DAEMON_UID && caller.gid() == DAEMON_GID);
    }

    private static ThreadCapabilities capabilities() throws ErrnoException {
        ThreadCapabilities capabilities = CAPABILITIES.get();
        if (capabilities == null) {
            capabilities = new ThreadCapabilities();
            CAPABILITIES.set(capabilities);
        }
        return capabilities;
    }
}
