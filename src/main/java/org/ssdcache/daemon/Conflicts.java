package org.ssdcache.daemon;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.block.FileId;
import org.ssdcache.cache.BlockCache;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.file.FileFinder;

/**
 * What a mount does about files that are dirty in the cache and were changed behind it (invariant
 * I6). Without its marker the backing directory was given back to its users, by {@code detach
 * --discard} or by hand, so then every dirty file is one of them.
 */
final class Conflicts {
    private static final Logger LOG = LoggerFactory.getLogger(Conflicts.class);
    private static final int NAMED = 20;

    private final MountPlan plan;
    private final BlockCache cache;
    private final FileFinder finder;

    Conflicts(MountPlan plan, BlockCache cache, FileFinder finder) {
        this.plan = plan;
        this.cache = cache;
        this.finder = finder;
    }

    /**
     * Decides them as the user said; to be called before anything is served.
     *
     * @param disputed whether the backing directory was without its marker
     * @throws RefusedException with the list, when nothing was said
     */
    void decide(boolean disputed) throws IOException, RefusedException {
        List<FileId> files = disputed ? cache.dirty().files() : cache.dirty().conflicts();
        if (files.isEmpty()) {
            return;
        }
        switch (plan.conflict()) {
            case REFUSE -> throw refusal(files, disputed);
            case CACHE -> {
                for (FileId file : files) {
                    cache.dirty().keepCache(file);
                }
            }
            case BACKING -> {
                for (FileId file : files) {
                    cache.dirty().keepBacking(file);
                }
            }
        }
        LOG.warn(
                "{} files were dirty and changed behind the cache; decided for the {}: {}",
                files.size(),
                plan.conflict().label(),
                namesOf(files));
    }

    private RefusedException refusal(List<FileId> files, boolean disputed) throws IOException {
        String what =
                disputed
                        ? "may have been changed in the backing directory, which is not locked"
                                + " any more"
                        : "were changed in the backing directory while that was locked";
        return new RefusedException(
                ExitCode.CONFLICT,
                String.format(
                        "%d files have changes in the cache %s and %s: %s. Mount with -o"
                                + " conflict=cache to keep what the cache has of them, or with -o"
                                + " conflict=backing to give that up.",
                        files.size(), plan.cache(), what, namesOf(files)));
    }

    private String namesOf(List<FileId> files) throws IOException {
        List<FileId> first = files.subList(0, Math.min(files.size(), NAMED));
        Map<FileId, String> names = finder.pathsOf(new HashSet<>(first));
        StringBuilder text = new StringBuilder();
        for (FileId file : first) {
            text.append(text.length() == 0 ? "" : ", ")
                    .append(names.getOrDefault(file, "inode " + file.inode()));
        }
        return text + (files.size() > NAMED ? ", ..." : "");
    }
}
