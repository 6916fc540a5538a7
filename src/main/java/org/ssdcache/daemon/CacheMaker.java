package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.AtomicFile;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.NativeBlockFile;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.store.BlockStore;
import org.ssdcache.store.StoreGeometry;
import org.ssdcache.store.StoreIdentity;

/**
 * Makes an empty cache in a locked directory: the store first, then the properties file that
 * declares it complete. Interrupted at any point, the next mount begins again.
 */
final class CacheMaker {
    private static final Logger LOG = LoggerFactory.getLogger(CacheMaker.class);
    private static final int STORE_MODE = 0600;

    private final MountPlan plan;
    private final StartupReport report;

    CacheMaker(MountPlan plan, StartupReport report) {
        this.plan = plan;
        this.report = report;
    }

    CacheProperties make(BackingIdentity identity) throws IOException, RefusedException {
        LOG.info(
                "Making a cache of {} for {} in {}",
                ByteSize.format(plan.sizeBytes()),
                plan.backing(),
                plan.cache());
        SecureRandom random = new SecureRandom();
        StoreIdentity store = new StoreIdentity(random.nextLong(), random.nextLong());
        Path file = plan.cache().resolve(CacheContents.STORE);
        Files.deleteIfExists(file);
        boolean done = false;
        try {
            format(file, store);
            AtomicFile.syncDirectory(plan.cache());
            CacheProperties properties =
                    new CacheProperties(
                            plan.sizeBytes(),
                            plan.blockBytes(),
                            store.backingId(),
                            plan.backing().toString(),
                            identity);
            properties.write(plan.cache());
            done = true;
            return properties;
        } catch (ErrnoException e) {
            if (e.errno() == Errno.ENOSPC || e.errno() == Errno.EDQUOT) {
                throw new RefusedException(
                        ExitCode.NO_SPACE,
                        String.format(
                                "There is no room for a cache of %s in %s; choose a smaller"
                                        + " size.",
                                ByteSize.format(plan.sizeBytes()), plan.cache()),
                        e);
            }
            throw e;
        } finally {
            if (!done) {
                Files.deleteIfExists(file);
            }
        }
    }

    private void format(Path path, StoreIdentity identity) throws IOException {
        StoreGeometry geometry = StoreGeometry.forSize(plan.sizeBytes(), plan.blockBytes());
        int flags = OpenFlags.O_RDWR | OpenFlags.O_CREAT | OpenFlags.O_EXCL;
        try (NativeBlockFile file = NativeBlockFile.open(path.toString(), flags, STORE_MODE)) {
            // All the space at once: a full disk is noticed now, not at some later fill.
            file.allocate(0, 0, geometry.totalBytes());
            if (plan.mode() == CacheMode.WRITEBACK) {
                BlockStore.formatWritten(file, geometry, identity, this::reportProgress);
            } else {
                BlockStore.format(file, geometry, identity, this::reportProgress);
            }
            file.sync();
        }
    }

    private void reportProgress(long bytes) {
        report.progress(
                String.format(
                        "making the cache: %s of %s",
                        ByteSize.format(bytes), ByteSize.format(plan.sizeBytes())));
    }
}
