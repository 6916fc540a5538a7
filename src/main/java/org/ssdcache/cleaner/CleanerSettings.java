package org.ssdcache.cleaner;

/**
 * What people may set, with bcache's names and defaults. May be replaced at any time while the
 * cleaner runs.
 *
 * @param writebackPercent share of the cache's slots that may stay dirty, 0 to 40
 * @param writebackDelaySeconds how long a block stays dirty before it goes home, 0 to a day
 * @param writebackRunning whether anything goes home on its own; off, only a flush, a drain and
 *     {@code cleanNow} clean
 */
public record CleanerSettings(
        int writebackPercent, int writebackDelaySeconds, boolean writebackRunning) {
    /**
     * bcache's bound too: above it comes the room that slows writers down, not an operating point.
     */
    public static final int MAX_WRITEBACK_PERCENT = 40;

    public static final int MAX_WRITEBACK_DELAY_SECONDS = 86_400;

    public static final CleanerSettings DEFAULT = new CleanerSettings(10, 30, true);

    /**
     * @throws IllegalArgumentException if a value is out of its range
     */
    public CleanerSettings {
        if (writebackPercent < 0 || writebackPercent > MAX_WRITEBACK_PERCENT) {
            throw new IllegalArgumentException(
                    "writeback_percent is from 0 to 40, not " + writebackPercent);
        }
        if (writebackDelaySeconds < 0 || writebackDelaySeconds > MAX_WRITEBACK_DELAY_SECONDS) {
            throw new IllegalArgumentException(
                    "writeback_delay is from 0 to 86400 seconds, not " + writebackDelaySeconds);
        }
    }

    public CleanerSettings withWritebackPercent(int percent) {
        return new CleanerSettings(percent, writebackDelaySeconds, writebackRunning);
    }

    public CleanerSettings withWritebackDelaySeconds(int seconds) {
        return new CleanerSettings(writebackPercent, seconds, writebackRunning);
    }

    public CleanerSettings withWritebackRunning(boolean running) {
        return new CleanerSettings(writebackPercent, writebackDelaySeconds, running);
    }
}
