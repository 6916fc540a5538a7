package org.ssdcache.cache;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.BlockFile;

/**
 * Files that the cache has dirty blocks of and that somebody else changed on the backing while it
 * was not mounted (I6). Nobody can merge the two: people choose.
 */
final class Conflicts {
    private final PendingFiles pending;
    private final FileRecords records;
    private final BlockMap map;
    private final FileOpener opener;

    Conflicts(PendingFiles pending, FileRecords records, BlockMap map, FileOpener opener) {
        this.pending = pending;
        this.records = records;
        this.map = map;
        this.opener = opener;
    }

    /** Compares every pending file with the backing; one that is gone there is given up. */
    List<FileId> find() throws IOException {
        Set<FileId> gone = opener.gone(locators());
        List<FileId> found = new ArrayList<>();
        for (PendingFile file : pending.all()) {
            FileId id = records.idOf(file.number());
            FileFacts facts = gone.contains(id) ? null : factsOf(file, id);
            if (facts == null) {
                records.gone(file.number());
            } else if (!records.acceptOwn(file.number(), facts)) {
                found.add(id);
            }
        }
        return found;
    }

    private Map<FileId, FileLocator> locators() {
        Map<FileId, FileLocator> locators = new HashMap<>();
        for (PendingFile file : pending.all()) {
            locators.put(records.idOf(file.number()), file.locator());
        }
        return locators;
    }

    /** Null if it is gone. */
    private FileFacts factsOf(PendingFile file, FileId id) throws IOException {
        FileOpener.OpenedFile opened = opener.open(id, file.locator());
        if (opened == null) {
            return null;
        }
        try (BlockFile data = opened.data()) {
            return opened.facts().facts();
        }
    }

    /** What the cache has is right: it will be written over what is on the backing. */
    void keepCache(FileId id) throws IOException {
        PendingFile file = pendingOf(id);
        FileFacts facts = file == null ? null : factsOf(file, id);
        if (facts != null) {
            records.adopt(file.number(), facts);
        }
    }

    /** What is on the backing is right: everything that the cache has of the file is dropped. */
    void keepBacking(FileId id) throws IOException {
        PendingFile file = pendingOf(id);
        if (file != null) {
            records.discard(file.number());
            map.releaseRetired();
        }
    }

    private PendingFile pendingOf(FileId id) {
        int number = records.numberOf(id);
        return number == CachedFile.UNREGISTERED ? null : pending.get(number);
    }
}
