package org.ssdcache.cache;

import java.io.IOException;
import java.util.stream.LongStream;
import org.ssdcache.backing.BackingFile;
import org.ssdcache.block.FileId;
import org.ssdcache.index.BlockIndex;
import org.ssdcache.metrics.Counters;

/** The dirty blocks and their files, for the cleaner. */
final class CleaningSource implements DirtyBlocks {
    private final CleaningBatch.Engine engine;
    private final DirtySlots dirty;
    private final PendingFiles pending;
    private final ForegroundReads foreground;
    private volatile FileOpener opener;
    private final Counters counters;

    CleaningSource(
            CleaningBatch.Engine engine,
            DirtySlots dirty,
            PendingFiles pending,
            ForegroundReads foreground,
            Counters counters) {
        this.engine = engine;
        this.dirty = dirty;
        this.pending = pending;
        this.foreground = foreground;
        this.counters = counters;
    }

    void setOpener(FileOpener opener) {
        this.opener = opener;
    }

    @Override
    public int blockBytes() {
        return engine.geometry().blockBytes();
    }

    @Override
    public int slotCount() {
        return engine.index().slotCount();
    }

    @Override
    public int dirtyCount() {
        return dirty.count();
    }

    @Override
    public long oldestAgeNanos() {
        return dirty.oldestAgeNanos();
    }

    /** Blocks of files that are gone are left out: nobody will miss them. */
    @Override
    public BlockList list(long minimumAgeNanos) {
        BlockIndex index = engine.index();
        LongStream.Builder keys = LongStream.builder();
        dirty.forEach(
                slot -> {
                    int file = index.fileOf(slot);
                    int block = index.blockOf(slot);
                    PendingFile state = pending.get(file);
                    if (file >= 0
                            && dirty.ageNanos(slot) >= minimumAgeNanos
                            && state != null
                            && !state.isDoomed()) {
                        keys.add(BlockList.key(file, block));
                    }
                });
        return new BlockList(keys.build().sorted().toArray());
    }

    @Override
    public int foregroundReads() {
        return foreground.underWay();
    }

    @Override
    public long foregroundReadCount() {
        return foreground.count();
    }

    @Override
    public CleaningFile begin(int number) throws IOException {
        PendingFile file = pending.get(number);
        FileId id = file == null ? null : engine.records().beginCleaning(number);
        if (id == null) {
            return null;
        }
        boolean begun = false;
        try {
            engine.lease().ensure();
            FileOpener.OpenedFile opened = opener.open(id, file.locator());
            if (opened == null) {
                engine.records().gone(number);
                return null;
            }
            begun = true;
            BackingFile backing = new BackingFile(opened.data(), opened.facts()::facts, counters);
            return new CleaningBatch(engine, file, id, backing);
        } finally {
            if (!begun) {
                engine.records().endCleaning(number, null);
            }
        }
    }
}
