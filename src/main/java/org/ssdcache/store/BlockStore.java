package org.ssdcache.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.LongConsumer;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.MappingSink;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.Clock;

/** Signatures first; the code follows in the next commits. */
@SuppressWarnings("DoNotCallSuggester")
public final class BlockStore implements Closeable {
    public static final int WHOLE_FILE = -1;
    public static final long INTENT_REGION_BYTES = 64L << 20;

    private BlockStore() {}

    public static void format(
            BlockFile file, StoreGeometry geometry, StoreIdentity id, LongConsumer progressBytes)
            throws IOException {
        throw new UnsupportedOperationException();
    }

    public static BlockStore open(BlockFile file, String bootId, Clock clock) throws IOException {
        throw new UnsupportedOperationException();
    }

    public StoreGeometry geometry() {
        throw new UnsupportedOperationException();
    }

    public StoreIdentity identity() {
        throw new UnsupportedOperationException();
    }

    public boolean wasClean() {
        throw new UnsupportedOperationException();
    }

    public long checkpointSequence() {
        throw new UnsupportedOperationException();
    }

    public long leaseNanosAtOpen() {
        throw new UnsupportedOperationException();
    }

    public void load(MappingSink sink) throws IOException {
        throw new UnsupportedOperationException();
    }

    public Set<Integer> filesWithIntents() {
        throw new UnsupportedOperationException();
    }

    public void readSlot(int slot, int skipBytes, ByteBuffer target) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void writeSlot(int slot, int skipBytes, ByteBuffer source) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void readChecksums(int slot, int[] target) throws IOException {
        throw new UnsupportedOperationException();
    }

    public static int pageChecksum(ByteBuffer page) {
        throw new UnsupportedOperationException();
    }

    public void slotMapped(
            int slot,
            int file,
            int block,
            int validPages,
            int dirtyPages,
            int changedPages,
            int[] checksums)
            throws IOException {
        throw new UnsupportedOperationException();
    }

    public void slotFreed(int slot) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void fileDefined(int file, FileId id, FileFacts facts) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void fileDropped(int file) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void writeIntended(int file, int region) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void writeJournal() throws IOException {
        throw new UnsupportedOperationException();
    }

    public void sync() throws IOException {
        throw new UnsupportedOperationException();
    }

    public void extendLease(long untilWallNanos) throws IOException {
        throw new UnsupportedOperationException();
    }

    public double journalFill() {
        throw new UnsupportedOperationException();
    }

    public void onJournalPressure(Runnable callback) {
        throw new UnsupportedOperationException();
    }

    public long cutJournal() throws IOException {
        throw new UnsupportedOperationException();
    }

    public void checkpoint(long cut) throws IOException {
        throw new UnsupportedOperationException();
    }

    public void closeClean() throws IOException {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
