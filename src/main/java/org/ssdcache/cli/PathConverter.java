package org.ssdcache.cli;

import java.nio.file.Path;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A path that names something; the empty one, often an unset variable, would be where one is. */
final class PathConverter implements ITypeConverter<Path> {
    private static final String EMPTY = "the path is empty.";

    @Override
    public Path convert(String text) {
        if (text.isEmpty()) {
            throw new TypeConversionException(EMPTY);
        }
        return Path.of(text);
    }

    /** The path that is the value of a setting. */
    static Path ofSetting(String key, String text) throws RefusedException {
        if (text.isEmpty()) {
            throw new RefusedException(
                    ExitCode.USAGE, String.format("Invalid value for the %s: %s", key, EMPTY));
        }
        return Path.of(text);
    }
}
