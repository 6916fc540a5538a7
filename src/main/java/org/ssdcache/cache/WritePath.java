package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;

/**
 * What a write does, on one screen: in mode writeback the slots take it ({@link WriteBack}); else,
 * or where they cannot, it goes to the backing and the slots follow ({@link DirectWrite}).
 */
final class WritePath {
    private final WriteBack writeBack;
    private final DirectWrite direct;
    private final Bypass bypass;
    private final Counters counters;

    WritePath(WriteBack writeBack, DirectWrite direct, Bypass bypass, Counters counters) {
        this.writeBack = writeBack;
        this.direct = direct;
        this.bypass = bypass;
        this.counters = counters;
    }

    void write(CachedFile file, ByteBuffer source, long offsetBytes, int task) throws IOException {
        int lengthBytes = source.remaining();
        if (lengthBytes == 0) {
            return;
        }
        BypassReason reason = bypass.ofWrite(file, offsetBytes, lengthBytes, task);
        if (reason == null && bypass.mode() == CacheMode.WRITEBACK) {
            if (writeBack.write(file, source, offsetBytes)) {
                return;
            }
            reason = BypassReason.CONGESTED;
        }
        direct.write(file, source, offsetBytes, reason);
        if (reason != null) {
            counters.add(reason.counter(), 1);
            counters.add(Counter.BYPASSED_BYTES, lengthBytes);
        }
    }
}
