package org.ssdcache.store;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Which regions of which files may have been written on the backing since the last checkpoint. */
final class Intents {
    private final int blocksPerRegion;
    private final Map<Integer, Set<Integer>> regionsByFile = new HashMap<>();

    Intents(int blockBytes) {
        blocksPerRegion = (int) (BlockStore.INTENT_REGION_BYTES / blockBytes);
    }

    void add(int file, int region) {
        regionsByFile.computeIfAbsent(file, f -> new HashSet<>()).add(region);
    }

    /** The file is gone, and with it all that its blocks said. */
    void forget(int file) {
        regionsByFile.remove(file);
    }

    void clear() {
        regionsByFile.clear();
    }

    boolean isEmpty() {
        return regionsByFile.isEmpty();
    }

    boolean covers(int file, int block) {
        Set<Integer> regions = regionsByFile.get(file);
        return regions != null
                && (regions.contains(BlockStore.WHOLE_FILE)
                        || regions.contains(block / blocksPerRegion));
    }

    void forEach(BlockStore.IntentSink sink) {
        regionsByFile.forEach((file, regions) -> regions.forEach(r -> sink.intent(file, r)));
    }

    Set<Integer> files() {
        return Set.copyOf(regionsByFile.keySet());
    }
}
