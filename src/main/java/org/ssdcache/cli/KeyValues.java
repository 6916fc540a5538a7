package org.ssdcache.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/** Arguments of the form {@code KEY=VALUE}. */
final class KeyValues {
    private KeyValues() {}

    /** In the order given; a key may be given once. */
    static Map<String, String> parse(List<String> arguments) throws RefusedException {
        Map<String, String> values = new LinkedHashMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals <= 0) {
                throw new RefusedException(
                        ExitCode.USAGE,
                        String.format("\"%s\" is not of the form KEY=VALUE.", argument));
            }
            String key = argument.substring(0, equals);
            if (values.put(key, argument.substring(equals + 1)) != null) {
                throw new RefusedException(
                        ExitCode.USAGE, String.format("The setting \"%s\" is given twice.", key));
            }
        }
        return values;
    }
}
