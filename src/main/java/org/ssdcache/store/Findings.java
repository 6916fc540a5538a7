package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.ssdcache.store.StoreFinding.Area;

/** What a check finds, with the bytes that mend it. */
final class Findings {
    private final List<StoreFinding> list = new ArrayList<>();
    private final List<Patch> patches = new ArrayList<>();

    private record Patch(long offsetBytes, ByteBuffer bytes) {}

    void add(Area area, String where, String what, boolean concernsDirty) {
        list.add(new StoreFinding(area, where, what, false, concernsDirty));
    }

    /**
     * @param bytes what belongs there; all of the buffer, which is copied
     */
    void addRepairable(
            Area area,
            String where,
            String what,
            boolean concernsDirty,
            long offsetBytes,
            ByteBuffer bytes) {
        list.add(new StoreFinding(area, where, what, true, concernsDirty));
        ByteBuffer copy = Buffers.direct(bytes.capacity());
        copy.put(bytes.duplicate().clear()).flip();
        patches.add(new Patch(offsetBytes, copy));
    }

    List<StoreFinding> list() {
        return list;
    }

    /** Writes what mends the findings, in their order; durable on return. */
    void applyPatches(StoreDisk disk) throws IOException {
        for (Patch patch : patches) {
            disk.write(patch.bytes().rewind(), patch.offsetBytes());
        }
        if (!patches.isEmpty()) {
            disk.syncData();
        }
    }
}
