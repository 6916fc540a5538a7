package org.ssdcache.store;

import java.io.IOException;

/** The store cannot do what was asked, for a reason that has a name. */
public final class StoreException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** The file holds no store. */
        NOT_A_STORE,
        /** The store was made by a later version of this program. */
        NEWER_VERSION,
        /** The store uses a feature that this version does not know and must not ignore. */
        UNKNOWN_FEATURE,
        /** The file contradicts itself: both superblocks are damaged, or it is cut short. */
        DAMAGED,
        /**
         * An earlier error of the disk: nothing can be made durable until the store is reopened.
         */
        FAILED,
        /** No checkpoint made room in the journal for too long. */
        JOURNAL_FULL,
        /** The store was closed. */
        CLOSED
    }

    private final Reason reason;

    public StoreException(Reason reason, String message) {
        this(reason, message, null);
    }

    public StoreException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
