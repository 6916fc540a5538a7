package org.ssdcache.cache;

import java.io.IOException;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;

/**
 * What a read does, on one screen: copy what hits; read the misses from the backing, one read per
 * contiguous range; answer; then fill, in the same thread but off the reader's path.
 */
final class ReadPath {
    private final Hits hits;
    private final DirtyReads dirtyReads;
    private final ForegroundReads foreground;
    private final BlockClaims fills;
    private final Admission admission;
    private final Bypass bypass;
    private final Counters counters;
    private final ReadRequest.Buffers buffers;

    ReadPath(
            Hits hits,
            DirtyReads dirtyReads,
            ForegroundReads foreground,
            BlockClaims fills,
            Admission admission,
            Bypass bypass,
            Counters counters,
            ReadRequest.Buffers buffers) {
        this.hits = hits;
        this.dirtyReads = dirtyReads;
        this.foreground = foreground;
        this.fills = fills;
        this.admission = admission;
        this.bypass = bypass;
        this.counters = counters;
        this.buffers = buffers;
    }

    void read(CachedFile file, long offsetBytes, int lengthBytes, int task, ReadReply reply)
            throws IOException {
        ReadRequest request = buffers.request(file, offsetBytes, lengthBytes);
        BypassReason reason = bypass.ofRead(file, offsetBytes, lengthBytes, task);
        if (reason == BypassReason.MODE || reason == BypassReason.ERROR) {
            copyDirty(request);
            readAround(request, reason);
            reply.deliver(request.answer());
            return;
        }
        copyHits(request);
        if (request.isComplete()) {
            counters.add(Counter.CACHE_HITS, 1);
            counters.add(Counter.CACHE_HIT_BYTES, request.lengthBytes());
            reply.deliver(request.answer());
            return;
        }
        countMiss(request, reason);
        copyDirty(request);
        if (request.isComplete()) {
            reply.deliver(request.answer());
        } else if (reason != null) {
            readAround(request, reason);
            reply.deliver(request.answer());
        } else {
            readMisses(request, reply);
        }
    }

    /** What the backing does not have, or has older: never to be read around (I2). */
    private void copyDirty(ReadRequest request) throws IOException {
        for (int i = 0; i < request.blockCount(); i++) {
            if (request.isMissing(i)
                    && dirtyReads.read(
                            request.file(),
                            request.block(i),
                            request.skipBytes(i),
                            request.wanted(i))) {
                request.arrived(i);
            }
        }
    }

    private void copyHits(ReadRequest request) throws IOException {
        for (int i = 0; i < request.blockCount(); i++) {
            if (request.isMissing(i)
                    && hits.read(
                            request.file(),
                            request.block(i),
                            request.skipBytes(i),
                            request.wanted(i))) {
                request.arrived(i);
            }
        }
    }

    /** Bypass: just the wanted bytes of what is missing, and nothing is admitted. */
    private void readAround(ReadRequest request, BypassReason reason) throws IOException {
        long bytes = readWanted(request);
        counters.add(reason.counter(), 1);
        counters.add(Counter.BYPASSED_BYTES, bytes);
    }

    private void readMisses(ReadRequest request, ReadReply reply) throws IOException {
        try {
            claimMissing(request);
            readClaimed(request);
            if (!request.isComplete()) {
                fillClaimed(request);
                awaitOthers(request);
            }
            reply.deliver(request.answer());
            fillClaimed(request);
        } finally {
            request.releaseClaims(fills);
        }
    }

    private void readClaimed(ReadRequest request) throws IOException {
        foreground.begin();
        try {
            for (ReadRequest.Range range = request.firstClaimed();
                    range != null;
                    range = request.nextClaimed(range)) {
                request.readBlocks(range);
            }
        } finally {
            foreground.end();
        }
    }

    private long readWanted(ReadRequest request) throws IOException {
        long bytes = 0;
        foreground.begin();
        try {
            for (ReadRequest.Range range = request.firstMissing();
                    range != null;
                    range = request.nextMissing(range)) {
                bytes += request.readWanted(range);
            }
        } finally {
            foreground.end();
        }
        return bytes;
    }

    /** A block that was filled between the look-up and the claim is a hit after all. */
    private void claimMissing(ReadRequest request) throws IOException {
        for (int i = 0; i < request.blockCount(); i++) {
            if (request.isMissing(i) && request.claim(i, fills)) {
                if (hits.read(
                        request.file(),
                        request.block(i),
                        request.skipBytes(i),
                        request.wanted(i))) {
                    request.arrived(i);
                    request.release(i, fills);
                }
            }
        }
    }

    private void fillClaimed(ReadRequest request) {
        for (int i = 0; i < request.blockCount(); i++) {
            BlockClaims.Claim claim = request.claimOf(i);
            if (claim != null) {
                admission.fill(request.file(), request.block(i), claim, request.blockData(i));
                request.release(i, fills);
            }
        }
    }

    /** Blocks that other readers are fetching: wait, copy, and fetch what still is not there. */
    private void awaitOthers(ReadRequest request) throws IOException {
        for (int i = 0; i < request.blockCount(); i++) {
            if (request.isMissing(i)) {
                fills.await(request.file().id(), request.block(i));
            }
        }
        copyHits(request);
        copyDirty(request);
        long unused = request.isComplete() ? 0 : readWanted(request);
    }

    private void countMiss(ReadRequest request, BypassReason reason) {
        if (reason != null) {
            return;
        }
        boolean partial = request.missingBytes() < request.lengthBytes();
        counters.add(partial ? Counter.CACHE_PARTIAL_HITS : Counter.CACHE_MISSES, 1);
        counters.add(Counter.CACHE_HIT_BYTES, request.lengthBytes() - request.missingBytes());
        counters.add(Counter.CACHE_MISS_BYTES, request.missingBytes());
    }
}
