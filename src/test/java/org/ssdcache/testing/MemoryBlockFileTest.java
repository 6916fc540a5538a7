package org.ssdcache.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.ssdcache.io.BlockFile;
import org.ssdcache.io.BlockFileContract;

class MemoryBlockFileTest extends BlockFileContract {
    @Override
    protected BlockFile create() {
        return new MemoryBlockFile();
    }

    @Test
    void aClosedFileFailsAndItsCopyDoesNot() throws IOException {
        MemoryBlockFile file = new MemoryBlockFile(10);
        file.close();
        assertThrows(IOException.class, file::sizeBytes);
        try (MemoryBlockFile copy = file.copy()) {
            assertEquals(10, copy.sizeBytes());
            copy.write(ByteBuffer.wrap(new byte[20]), 0);
            assertEquals(10, file.copy().sizeBytes());
        }
    }
}
