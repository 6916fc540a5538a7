package org.ssdcache.store;

import java.util.List;

/**
 * What a store holds, as a mount would find it, and what is wrong with it.
 *
 * @param readable whether the store could be opened; if not, all numbers are 0
 * @param clean whether the store was closed in order
 * @param journalRecords records that are not in the tables yet
 * @param files file numbers in use
 * @param slots slots that hold blocks
 * @param dirtySlots those of them with pages that the backing does not have
 * @param dirtyPages such pages, of 4096 bytes
 * @param pendingFiles files whose changes the backing does not have all
 */
public record StoreReport(
        boolean readable,
        boolean clean,
        long journalRecords,
        long files,
        long slots,
        long dirtySlots,
        long dirtyPages,
        long pendingFiles,
        List<StoreFinding> findings) {
    public StoreReport {
        findings = List.copyOf(findings);
    }

    /** Whether data that the backing does not have is lost or in doubt. */
    public boolean dirtyDataConcerned() {
        return findings.stream().anyMatch(StoreFinding::concernsDirty);
    }
}
