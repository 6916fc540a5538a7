package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/**
 * Size and block size of a cache: those of the existing one, else those asked for, else the
 * defaults.
 */
record CacheShape(long sizeBytes, int blockBytes) {
    static final long MIN_SIZE_BYTES = 16L << 20;

    /** A default cache takes this part of the free space. */
    private static final int DEFAULT_SHARE = 10;

    private static final long DEFAULT_ROUNDING_BYTES = 1L << 20;

    static CacheShape decide(MountRequest request, Path cache, Optional<CacheProperties> existing)
            throws IOException, RefusedException {
        checkBlockSize(request);
        if (existing.isPresent()) {
            return ofExisting(request, cache, existing.get());
        }
        // Not through FileStore, which wants to find the filesystem in the table of mounts.
        long freeBytes = Directories.nearestExisting(cache).toFile().getUsableSpace();
        int blockBytes = request.blockBytes().orElse(BlockGeometry.DEFAULT_BLOCK_BYTES);
        if (request.sizeBytes().isEmpty()) {
            return new CacheShape(defaultSize(cache, freeBytes), blockBytes);
        }
        long sizeBytes = request.sizeBytes().getAsLong();
        if (sizeBytes < MIN_SIZE_BYTES) {
            throw new RefusedException(
                    ExitCode.USAGE,
                    String.format(
                            "A cache of %s is too small; it must have at least %s.",
                            ByteSize.format(sizeBytes), ByteSize.format(MIN_SIZE_BYTES)));
        }
        if (sizeBytes > freeBytes) {
            throw new RefusedException(
                    ExitCode.NO_SPACE,
                    String.format(
                            "A cache of %s does not fit: %s has %s free; choose a smaller size.",
                            ByteSize.format(sizeBytes),
                            Directories.nearestExisting(cache),
                            ByteSize.format(freeBytes)));
        }
        return new CacheShape(sizeBytes, blockBytes);
    }

    private static void checkBlockSize(MountRequest request) throws RefusedException {
        if (request.blockBytes().isPresent()
                && !BlockGeometry.isBlockSize(request.blockBytes().getAsInt())) {
            throw new RefusedException(
                    ExitCode.USAGE,
                    String.format(
                            "A block size of %s is not possible; it must be 8K, 16K, 32K, 64K or"
                                    + " 128K.",
                            ByteSize.format(request.blockBytes().getAsInt())));
        }
    }

    private static long defaultSize(Path cache, long freeBytes) throws RefusedException {
        long share = freeBytes / DEFAULT_SHARE;
        long sizeBytes = share - share % DEFAULT_ROUNDING_BYTES;
        if (sizeBytes < MIN_SIZE_BYTES) {
            throw new RefusedException(
                    ExitCode.NO_SPACE,
                    String.format(
                            "A tenth of the free space for %s is only %s; make room, or choose"
                                    + " another directory for the cache, or a size.",
                            cache, ByteSize.format(sizeBytes)));
        }
        return sizeBytes;
    }

    private static CacheShape ofExisting(MountRequest request, Path cache, CacheProperties existing)
            throws RefusedException {
        long sizeBytes = existing.sizeBytes();
        if (request.sizeBytes().orElse(sizeBytes) != sizeBytes) {
            throw differs(cache, "size", sizeBytes);
        }
        if (request.blockBytes().orElse(existing.blockBytes()) != existing.blockBytes()) {
            throw differs(cache, "block size", existing.blockBytes());
        }
        return new CacheShape(sizeBytes, existing.blockBytes());
    }

    private static RefusedException differs(Path cache, String what, long bytes) {
        return new RefusedException(
                ExitCode.CACHE_UNUSABLE,
                String.format(
                        "The cache %s exists with a %s of %s; leave the %s out to use it as it is,"
                                + " or remove the directory to begin with an empty cache.",
                        cache, what, ByteSize.format(bytes), what));
    }
}
