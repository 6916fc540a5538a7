package org.ssdcache.store;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Which regions of which files may have been written on the backing since the last checkpoint. */
final class Intents {
    private final int blocksPerRegion;
    private final Map<Integer, Set<Integer>> regionsByFile = new HashMap<>();
    private final Set<Integer> settled = new HashSet<>();

    Intents(int blockBytes) {
        blocksPerRegion = (int) (BlockStore.INTENT_REGION_BYTES / blockBytes);
    }

    void add(int file, int region) {
        settled.remove(file);
        regionsByFile.computeIfAbsent(file, f -> new HashSet<>()).add(region);
    }

    /** A region of a file that was settled when the journal began, unless it is known already. */
    void keep(int file, int region) {
        if (!regionsByFile.containsKey(file)) {
            settled.add(file);
        }
        regionsByFile.computeIfAbsent(file, f -> new HashSet<>()).add(region);
    }

    /**
     * What the file is like was recorded after its last intent. Its regions are in doubt still, but
     * if it is not like that any more, somebody else changed it.
     */
    void settle(int file) {
        settled.add(file);
    }

    /** The file is gone, and with it all that its blocks said. */
    void forget(int file) {
        settled.remove(file);
        regionsByFile.remove(file);
    }

    void clear() {
        settled.clear();
        regionsByFile.clear();
    }

    /** Whether no clean page is in doubt. */
    boolean coverNothing() {
        return regionsByFile.values().stream()
                .flatMap(Set::stream)
                .allMatch(region -> region == BlockStore.NO_REGION);
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

    /** Files that the daemon may have changed after it last recorded what they are like. */
    Set<Integer> unsettledFiles() {
        Set<Integer> files = new HashSet<>(regionsByFile.keySet());
        files.removeAll(settled);
        return Set.copyOf(files);
    }
}
