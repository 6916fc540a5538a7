package org.ssdcache.daemon;

import java.util.List;
import java.util.Map;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/** What of a mount can be changed while it is mounted. */
record LiveSettings(CacheMode mode, long sequentialCutoffBytes, CleanerSettings writeback) {
    private static final String MODE = "mode";
    private static final String SEQUENTIAL_CUTOFF = "sequential_cutoff";

    private static final List<String> KEYS =
            List.of(
                    MODE,
                    SEQUENTIAL_CUTOFF,
                    MountSettings.WRITEBACK_PERCENT,
                    MountSettings.WRITEBACK_DELAY,
                    MountSettings.WRITEBACK_RUNNING);

    static LiveSettings of(Engine engine) {
        return new LiveSettings(
                engine.mode(), engine.sequentialCutoffBytes(), engine.writebackSettings());
    }

    /** The same with other values, all of them. */
    LiveSettings with(Map<String, String> values) throws RefusedException {
        LiveSettings settings = this;
        for (Map.Entry<String, String> entry : values.entrySet()) {
            settings = settings.with(entry.getKey(), entry.getValue());
        }
        return settings;
    }

    private LiveSettings with(String key, String value) throws RefusedException {
        return switch (key) {
            case MODE ->
                    new LiveSettings(MountSettings.mode(value), sequentialCutoffBytes, writeback);
            case SEQUENTIAL_CUTOFF ->
                    new LiveSettings(mode, MountSettings.size(key, value), writeback);
            case MountSettings.WRITEBACK_PERCENT,
                    MountSettings.WRITEBACK_DELAY,
                    MountSettings.WRITEBACK_RUNNING ->
                    new LiveSettings(
                            mode,
                            sequentialCutoffBytes,
                            MountSettings.writeback(writeback, key, value));
            default ->
                    throw new RefusedException(
                            ExitCode.USAGE,
                            String.format(
                                    "There is no setting \"%s\" of a running mount; the settings"
                                            + " are %s.",
                                    key, String.join(", ", KEYS)));
        };
    }
}
