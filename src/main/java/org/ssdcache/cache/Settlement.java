package org.ssdcache.cache;

import java.io.IOException;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.PendingAttributes;

/**
 * Ends the pending state of a file whose blocks are all home: its length and time of modification
 * are set on the backing and synced there, and only then the journal forgets them.
 */
final class Settlement {
    private final PendingFiles pending;
    private final DirtySlots dirty;
    private final FileRecords records;

    Settlement(PendingFiles pending, DirtySlots dirty, FileRecords records) {
        this.pending = pending;
        this.dirty = dirty;
        this.records = records;
    }

    /** The file will change again, or more of it is dirty than is coming home now. */
    static final long NOT_YET = -1;

    /**
     * Sets length and times on the backing if the file will be all home when these blocks are; the
     * caller syncs it next.
     *
     * @return to be given to {@link #complete}
     */
    long prepare(PendingFile file, BackingFile backing, int blocksUnderWay) throws IOException {
        long version = file.version();
        if (dirty.countOf(file.number()) > blocksUnderWay) {
            return NOT_YET;
        }
        boolean set =
                file.setOnBacking(
                        version,
                        () -> isQuiet(records.openFile(file.number())),
                        attributes -> setAttributes(file.number(), backing, attributes));
        return set ? version : NOT_YET;
    }

    private static boolean isQuiet(CachedFile file) {
        return file == null || file.resizing().getReadLockCount() == 0;
    }

    /**
     * Ends the pending state, unless the file changed again. The caller makes the record durable.
     */
    void complete(PendingFile file, BackingFile backing, long version) throws IOException {
        if (version == NOT_YET || dirty.countOf(file.number()) != 0) {
            return;
        }
        FileFacts facts = backing.facts();
        records.redefine(file.number(), facts);
        boolean unused = pending.settle(file, version, facts.changedNanos());
    }

    /** Also gives back space that was reserved behind the end. */
    private void setAttributes(int number, BackingFile backing, PendingAttributes attributes)
            throws IOException {
        backing.truncate(attributes.sizeBytes());
        CachedFile file = records.openFile(number);
        if (file != null) {
            file.reservation().cutTo(attributes.sizeBytes());
        }
        backing.setModified(attributes.modifiedNanos());
    }
}
