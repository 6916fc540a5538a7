package org.ssdcache.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.ssdcache.block.BlockGeometry;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.io.BootId;
import org.ssdcache.io.NativeBlockFile;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.store.StoreCheck;
import org.ssdcache.store.StoreFinding;
import org.ssdcache.store.StoreReport;

/** Checks a cache that nobody uses, and mends what can be derived from the rest of it. */
public final class CacheCheck {
    private final Path cache;
    private final boolean cleanData;
    private final LongConsumer progressSlots;

    /** What is to be thought of a cache. */
    public enum Verdict {
        /** Nothing is wrong. */
        SOUND(ExitCode.OK),
        /** Damage that costs nothing but cached blocks. */
        REPAIRABLE(ExitCode.CHECK_REPAIRABLE),
        /** Damage that costs changes that the backing directory lacks. */
        LOSS(ExitCode.CHECK_LOSS);

        private final ExitCode code;

        Verdict(ExitCode code) {
            this.code = code;
        }

        public ExitCode code() {
            return code;
        }
    }

    /**
     * One thing that is wrong.
     *
     * @param text where, and what
     * @param repairable whether a repair mends it
     * @param loss whether changes are lost, or in doubt, that the backing directory lacks
     */
    public record Finding(String text, boolean repairable, boolean loss) {}

    /**
     * What was found.
     *
     * @param verdict before a repair
     * @param readable whether the cache could be looked at at all; all numbers are 0 if not
     * @param files files that it holds blocks of
     * @param dirtyBytes what the backing directory lacks, in pages
     * @param dirtyFiles files that the backing directory does not have as applications see them
     */
    public record Report(
            Verdict verdict,
            boolean readable,
            long files,
            long blocks,
            long dirtyBlocks,
            long dirtyBytes,
            long dirtyFiles,
            List<Finding> findings) {
        public Report {
            findings = List.copyOf(findings);
        }

        /** Whether a repair mends everything. */
        public boolean isRepairable() {
            return readable && findings.stream().allMatch(Finding::repairable);
        }
    }

    /**
     * Prepares a check.
     *
     * @param cleanData whether also blocks that the backing directory has are read and compared
     * @param progressSlots told how many slots were looked at
     */
    public CacheCheck(Path cache, boolean cleanData, LongConsumer progressSlots) {
        this.cache = cache;
        this.cleanData = cleanData;
        this.progressSlots = progressSlots;
    }

    /**
     * Looks at everything, and changes nothing unless it is to be repaired.
     *
     * @throws RefusedException if it is no cache, or a daemon uses it
     */
    public Report run(boolean repair) throws IOException, RefusedException {
        Path directory = Directories.existing(cache, "cache");
        if (CacheProperties.read(directory).isEmpty()) {
            throw new RefusedException(
                    ExitCode.NO_SUCH_PATH, String.format("There is no cache in %s.", cache));
        }
        Path lockFile = directory.resolve(CacheContents.LOCK);
        if (!Files.exists(lockFile)) {
            return look(directory, repair); // nobody has ever used it
        }
        Optional<RuntimeFiles.HeldLock> lock = RuntimeFiles.HeldLock.tryTake(lockFile);
        if (lock.isEmpty()) {
            throw new RefusedException(
                    ExitCode.CACHE_BUSY,
                    String.format("A daemon uses the cache %s; unmount first.", cache));
        }
        try (RuntimeFiles.HeldLock held = lock.get()) {
            return look(directory, repair);
        }
    }

    private Report look(Path directory, boolean repair) throws IOException, RefusedException {
        Path store = directory.resolve(CacheContents.STORE);
        if (!Files.exists(store)) {
            throw new RefusedException(
                    ExitCode.CACHE_UNUSABLE,
                    String.format("The store of the cache %s is missing.", cache));
        }
        int flags = repair ? OpenFlags.O_RDWR : OpenFlags.O_RDONLY;
        try (NativeBlockFile file = NativeBlockFile.open(store.toString(), flags, 0)) {
            StoreCheck check = new StoreCheck(file, BootId.read(), cleanData, progressSlots);
            return reportOf(repair ? check.repair() : check.check());
        }
    }

    private static Report reportOf(StoreReport store) {
        List<Finding> findings = new ArrayList<>();
        for (StoreFinding finding : store.findings()) {
            findings.add(
                    new Finding(finding.toString(), finding.repairable(), finding.concernsDirty()));
        }
        return new Report(
                verdictOf(store),
                store.readable(),
                store.files(),
                store.slots(),
                store.dirtySlots(),
                store.dirtyPages() * BlockGeometry.PAGE_BYTES,
                store.pendingFiles(),
                findings);
    }

    /** Of a store that cannot be read nobody knows whether it held changes. */
    private static Verdict verdictOf(StoreReport store) {
        if (!store.readable() || store.dirtyDataConcerned()) {
            return Verdict.LOSS;
        }
        return store.findings().isEmpty() ? Verdict.SOUND : Verdict.REPAIRABLE;
    }
}
