package org.ssdcache.cli;

import java.time.Duration;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.MountSettings;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code 30s}, {@code 5m}. */
final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        try {
            return MountSettings.duration(text);
        } catch (RefusedException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
