package org.ssdcache.cache;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What a file must read as, and what it may read as after a crash: of every sector the bytes of the
 * last sync or of any write since, and of the length likewise.
 */
final class FileOracle {
    private static final int SECTOR_BYTES = 512;

    private static final byte[] ZEROS = new byte[SECTOR_BYTES];

    private byte[] content = new byte[0];
    private final Map<Integer, List<byte[]>> unsynced = new HashMap<>();
    private final TreeSet<Integer> unsyncedSizes = new TreeSet<>();

    FileOracle() {
        unsyncedSizes.add(0);
    }

    byte[] content() {
        return content;
    }

    int size() {
        return content.length;
    }

    void write(byte[] bytes, int offset) {
        int from = Math.min(offset, content.length);
        remember(from, offset + bytes.length);
        if (content.length < offset + bytes.length) {
            content = Arrays.copyOf(content, offset + bytes.length);
        }
        System.arraycopy(bytes, 0, content, offset, bytes.length);
        changed(from, offset + bytes.length);
    }

    void truncate(int size) {
        int from = Math.min(size, content.length);
        int end = Math.max(size, content.length);
        remember(from, end);
        content = Arrays.copyOf(content, size);
        changed(from, end);
    }

    void zero(int offset, int end) {
        if (offset < end) {
            write(new byte[end - offset], offset);
        }
    }

    /** Everything so far is durable. */
    void sync() {
        unsynced.clear();
        unsyncedSizes.clear();
        unsyncedSizes.add(content.length);
    }

    /**
     * Takes the view after a crash as the content, if a plain disk could return it.
     *
     * @param lastVersion whether no other version can come up any more, as after a power cut
     * @return what is wrong, or null
     */
    String adopt(byte[] view, boolean lastVersion) {
        // A write that made the file longer may have got half way.
        if (view.length < unsyncedSizes.first() || view.length > unsyncedSizes.last()) {
            return "length " + view.length + " is not in " + unsyncedSizes;
        }
        for (int sector = 0; sector * SECTOR_BYTES < view.length; sector++) {
            byte[] found = sectorOf(view, sector);
            List<byte[]> known = unsynced.get(sector);
            int bytes = Math.min(SECTOR_BYTES, view.length - sector * SECTOR_BYTES);
            boolean good =
                    known == null
                            ? Arrays.equals(found, sectorOf(content, sector))
                            : known.stream().anyMatch(b -> matches(found, b, bytes))
                                    || isMixOfWrites(found, known, bytes);
            if (!good) {
                return "sector " + sector + " of " + view.length + " bytes is none of its versions";
            }
        }
        content = view;
        if (lastVersion) {
            sync();
        }
        return null;
    }

    /**
     * Of two writes that meet inside a sector the test disk may lose the first and keep the second,
     * which a kernel that writes whole pages would not: then every byte is of one of the versions.
     */
    private static boolean isMixOfWrites(byte[] found, List<byte[]> known, int bytes) {
        if (known.size() < 3) {
            return false;
        }
        for (int i = 0; i < bytes; i++) {
            int at = i;
            if (known.stream().noneMatch(version -> version[at] == found[at])) {
                return false;
            }
        }
        return true;
    }

    /** Behind the end of the view there is nothing to compare. */
    private static boolean matches(byte[] found, byte[] known, int bytes) {
        return Arrays.equals(found, 0, bytes, known, 0, bytes);
    }

    private void remember(int from, int end) {
        for (int sector = from / SECTOR_BYTES; sector * SECTOR_BYTES < end; sector++) {
            int number = sector;
            unsynced.computeIfAbsent(
                    sector, key -> new ArrayList<>(List.of(sectorOf(content, number))));
        }
    }

    private void changed(int from, int end) {
        unsyncedSizes.add(content.length);
        for (int sector = from / SECTOR_BYTES; sector * SECTOR_BYTES < end; sector++) {
            List<byte[]> versions = unsynced.get(sector);
            byte[] next = sectorOf(content, sector);
            if (!Arrays.equals(next, versions.get(versions.size() - 1))) {
                versions.add(next);
            }
        }
    }

    private static byte[] sectorOf(byte[] bytes, int sector) {
        int start = Math.min(bytes.length, sector * SECTOR_BYTES);
        int end = Math.min(bytes.length, start + SECTOR_BYTES);
        byte[] copy = Arrays.copyOf(Arrays.copyOfRange(bytes, start, end), SECTOR_BYTES);
        return Arrays.equals(copy, ZEROS) ? ZEROS : copy;
    }
}
