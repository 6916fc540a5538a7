package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.store.StoreException.Reason;

/**
 * The two copies of the superblock. They are written and synced one after the other, so that one of
 * them is whole at any time; and both, so that the loss of one later loses nothing, neither the
 * tail of the journal nor the fact that the store is not clean.
 */
final class SuperblockPair {
    static final int COPIES = 2;

    private SuperblockPair() {}

    /**
     * The newest whole copy.
     *
     * @throws StoreException with the reason why there is none to be used
     */
    static Superblock read(StoreDisk disk) throws IOException {
        if (disk.sizeBytes() < (long) COPIES * Superblock.BYTES) {
            throw new StoreException(Reason.NOT_A_STORE, "the file is too short for a store");
        }
        ByteBuffer newest = null;
        ByteBuffer damaged = null;
        for (int copy = 0; copy < COPIES; copy++) {
            ByteBuffer from = Buffers.direct(Superblock.BYTES);
            disk.read(from, (long) copy * Superblock.BYTES);
            if (Superblock.isWhole(from)) {
                if (newest == null || Superblock.sequence(from) > Superblock.sequence(newest)) {
                    newest = from;
                }
            } else if (Superblock.hasMagic(from)) {
                damaged = from;
            }
        }
        if (newest == null) {
            throw whyNone(damaged);
        }
        Superblock superblock = Superblock.decode(newest);
        if (disk.sizeBytes() < superblock.fileBytes()) {
            throw new StoreException(
                    Reason.DAMAGED,
                    "the store's file has "
                            + disk.sizeBytes()
                            + " bytes of "
                            + superblock.fileBytes());
        }
        return superblock;
    }

    private static StoreException whyNone(ByteBuffer damaged) {
        if (damaged == null) {
            return new StoreException(Reason.NOT_A_STORE, "the file holds no store");
        }
        int version = Superblock.version(damaged);
        if (version > Superblock.FORMAT_VERSION) {
            return new StoreException(
                    Reason.NEWER_VERSION, "the store may have format version " + version);
        }
        return new StoreException(Reason.DAMAGED, "both superblocks of the store are damaged");
    }

    /** Durable on return. */
    static void write(StoreDisk disk, Superblock superblock) throws IOException {
        ByteBuffer bytes = superblock.encode();
        for (int copy = 0; copy < COPIES; copy++) {
            disk.write(bytes.clear(), (long) copy * Superblock.BYTES);
            disk.syncData();
        }
    }

    /** Whatever store was in the file is gone, durably. */
    static void erase(StoreDisk disk) throws IOException {
        disk.write(Buffers.direct(COPIES * Superblock.BYTES), 0);
        disk.syncData();
    }
}
