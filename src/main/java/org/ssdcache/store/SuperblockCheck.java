package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.store.StoreFinding.Area;

/** Looks at both copies of the superblock, and at the lease. */
final class SuperblockCheck {
    private final StoreDisk disk;
    private final Findings findings;

    SuperblockCheck(StoreDisk disk, Findings findings) {
        this.disk = disk;
        this.findings = findings;
    }

    /**
     * Looks at both copies.
     *
     * @return the superblock that counts, or null if the store cannot be opened
     */
    Superblock run() throws IOException {
        Superblock found;
        try {
            found = SuperblockPair.read(disk);
        } catch (StoreException e) {
            findings.add(Area.SUPERBLOCK, "both copies", e.getMessage(), true);
            return null;
        }
        for (int copy = 0; copy < SuperblockPair.COPIES; copy++) {
            ByteBuffer bytes = Buffers.direct(Superblock.BYTES);
            long offsetBytes = (long) copy * Superblock.BYTES;
            disk.read(bytes, offsetBytes);
            if (!Superblock.isWhole(bytes)) {
                findings.addRepairable(
                        Area.SUPERBLOCK,
                        "copy " + (copy + 1),
                        "it is damaged; the other copy is whole",
                        false,
                        offsetBytes,
                        found.encode());
            }
        }
        checkLease(found, StoreGeometry.LEASE_OFFSET, "its sector");
        checkLease(found, StoreGeometry.PENDING_LEASE_OFFSET, "the sector for pending files");
        return found;
    }

    private void checkLease(Superblock found, long offsetBytes, String what) throws IOException {
        ByteBuffer sector = Buffers.direct(StoreGeometry.SECTOR_BYTES);
        disk.read(sector, offsetBytes);
        boolean isThere = !Buffers.isZero(sector, 0, StoreGeometry.SECTOR_BYTES);
        if (isThere && !new Lease(disk, found.identity().storeId(), offsetBytes).isWhole()) {
            findings.addRepairable(
                    Area.LEASE,
                    what,
                    "it is damaged; changes shortly before the end count as foreign",
                    false,
                    offsetBytes,
                    Buffers.direct(StoreGeometry.SECTOR_BYTES));
        }
    }
}
