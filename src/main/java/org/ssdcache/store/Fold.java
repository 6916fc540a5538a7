package org.ssdcache.store;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.ssdcache.block.PendingAttributes;
import org.ssdcache.store.StoreException.Reason;

/**
 * Folds journal records into the tables: {@link #record} takes them in order, {@link #write} then
 * writes the tables. A checkpoint and the replay after a crash both go through here.
 *
 * <p>Folding the same records again, over tables that already have all or some of it, gives the
 * same tables: the last record of a slot or file decides, whatever the table said.
 */
final class Fold implements JournalReader.Visitor {
    private final FileEntryTable fileTable;
    private final SlotTable slotTable;
    private final PendingTable pendingTable;
    private final Proof proof;
    private final SlotChanges slots;
    private final Intents intents;

    /** Null stands for a number without file. */
    private final Map<Integer, FileEntry> files = new HashMap<>();

    /** Null stands for nothing pending. */
    private final Map<Integer, PendingAttributes> pending = new HashMap<>();

    private int filesUsed;

    Fold(
            FileEntryTable fileTable,
            SlotTable slotTable,
            PendingTable pendingTable,
            StoreGeometry geometry,
            int filesUsed,
            Proof proof) {
        this.fileTable = fileTable;
        this.slotTable = slotTable;
        this.pendingTable = pendingTable;
        this.filesUsed = filesUsed;
        this.proof = proof;
        this.slots = new SlotChanges(geometry.pagesPerBlock());
        this.intents = new Intents(geometry.blockBytes());
    }

    @Override
    public void record(long sequence, JournalRecord record) throws IOException {
        switch (record.type) {
            case JournalRecord.MAP ->
                    slots.mapped(sequence, record, proof.covers(sequence, record));
            case JournalRecord.MOVE ->
                    slots.moved(sequence, record, proof.covers(sequence, record));
            case JournalRecord.FREE -> slots.freed(sequence, record.slot);
            case JournalRecord.FILE -> defineFile(sequence, record);
            case JournalRecord.DROP -> dropFile(record.file);
            case JournalRecord.INTENT -> intents.add(record.file, record.region);
            case JournalRecord.KEPT_INTENT -> intents.keep(record.file, record.region);
            case JournalRecord.PENDING -> pending.put(record.file, record.attributes);
            case JournalRecord.SETTLED -> settleFile(record.file);
            default ->
                    throw new StoreException(
                            Reason.DAMAGED, "a journal record has unknown type " + record.type);
        }
    }

    private void defineFile(long sequence, JournalRecord record) throws IOException {
        FileEntry before =
                files.containsKey(record.file)
                        ? files.get(record.file)
                        : fileTable.read(record.file);
        boolean same = before != null && before.id().equals(record.id);
        if (same) {
            intents.settle(record.file);
        } else {
            intents.forget(record.file);
            settleFile(record.file);
        }
        long created = same ? before.createdSequence() : sequence;
        files.put(record.file, new FileEntry(record.id, record.facts, created));
        filesUsed = Math.max(filesUsed, record.file + 1);
    }

    private void dropFile(int file) {
        files.put(file, null);
        intents.forget(file);
        settleFile(file);
        filesUsed = Math.max(filesUsed, file + 1);
    }

    /** Also where the table may have an entry that an earlier fold of the same records wrote. */
    private void settleFile(int file) {
        if (pending.containsKey(file) || pendingTable.has(file)) {
            pending.put(file, null);
        }
    }

    /**
     * Writes the tables after it was decided which unproven records count, and drops clean pages in
     * regions that a record intended to write.
     */
    void writeAfterCrash() throws IOException {
        slotTable.settle(slots, proof);
        writeTables();
    }

    private void writeTables() throws IOException {
        slotTable.apply(slots, intents);
        fileTable.write(files);
        pendingTable.write(pending);
    }

    /**
     * Writes the tables. Intents are over: what was written under them is durable on the backing.
     */
    void write() throws IOException {
        intents.clear();
        writeTables();
    }

    int filesUsed() {
        return filesUsed;
    }

    Intents intents() {
        return intents;
    }
}
