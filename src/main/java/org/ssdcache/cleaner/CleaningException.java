package org.ssdcache.cleaner;

import java.io.IOException;

/**
 * Blocks that should be clean are not. The message is one sentence for people; the cause is the
 * last error of the backing or the cache, or null if only the time was too short.
 */
public final class CleaningException extends IOException {
    private static final long serialVersionUID = 1L;

    CleaningException(String sentence, IOException cause) {
        super(sentence, cause);
    }
}
