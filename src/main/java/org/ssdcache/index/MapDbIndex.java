package org.ssdcache.index;

import java.io.Closeable;
import java.nio.file.Path;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.MappingSink;

/** Signatures first; the code follows in the next commits. */
@SuppressWarnings("DoNotCallSuggester")
public final class MapDbIndex implements Closeable {
    /** Blocks of a file that one entry holds. */
    public static final int CHUNK_BLOCKS = 256;

    private MapDbIndex() {}

    public static MapDbIndex open(Path file) {
        throw new UnsupportedOperationException();
    }

    public boolean load(long storeId, long checkpointSequence, MappingSink sink) {
        throw new UnsupportedOperationException();
    }

    public void begin() {
        throw new UnsupportedOperationException();
    }

    public void putFile(int file, FileId id, FileFacts facts) {
        throw new UnsupportedOperationException();
    }

    public void removeFile(int file) {
        throw new UnsupportedOperationException();
    }

    public void putChunk(int file, int chunk, BlockIndex source) {
        throw new UnsupportedOperationException();
    }

    public void commit(long sequence, boolean clean) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
