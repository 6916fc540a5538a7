package org.ssdcache.store;

/**
 * Something that is wrong with a store.
 *
 * @param where which of the things in the area, in words
 * @param what what is wrong with it, in words
 * @param repairable whether {@link StoreCheck#repair} mends it
 * @param concernsDirty whether data that the backing does not have is lost or in doubt
 */
public record StoreFinding(
        Area area, String where, String what, boolean repairable, boolean concernsDirty) {
    /** The part of the store's file. */
    public enum Area {
        SUPERBLOCK,
        LEASE,
        JOURNAL,
        FILE_TABLE,
        SLOT_TABLE,
        PENDING_TABLE,
        SLOT_DATA
    }

    @Override
    public String toString() {
        return area.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ')
                + ", "
                + where
                + ": "
                + what;
    }
}
