package org.ssdcache.cache;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What the tests of mode writeback begin with: one open file that is not cached. */
abstract class WritebackScenario {
    static final int PAGE = 4096;
    static final int BLOCK = 16 << 10;

    @TempDir Path directory;

    CacheFixture fixture;
    int file;

    /** Four blocks of ones on the backing, not cached. */
    @BeforeEach
    void oneFileOfOnes() throws IOException {
        fixture = new CacheFixture(directory, 4 << 20, BLOCK, 3);
        file = fixture.create();
        fixture.cache.setMode(CacheMode.NONE);
        fixture.write(file, bytes(1, 4 * BLOCK), 0);
        fixture.cache.run(Housekeeping.Task.END_INTERVAL);
        fixture.cache.setMode(CacheMode.WRITEBACK);
    }

    static byte[] bytes(int value, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    TestBacking backing() {
        return fixture.backings.get(file);
    }

    CachedFile open() {
        return fixture.open.get(file);
    }
}
