package org.ssdcache.daemon;

import org.ssdcache.control.ExitCode;
import org.ssdcache.control.FlushProgress;

/**
 * Told how the start of a daemon goes: any number of steps, then one end. Whoever cares is told of
 * its later life, too.
 */
public interface StartupReport {
    /** Nobody listens. */
    StartupReport NONE =
            new StartupReport() {
                @Override
                public void progress(String what) {}

                @Override
                public void ready() {}

                @Override
                public void failed(ExitCode code, String sentence) {}
            };

    /** The daemon is alive and busy with something that takes long. */
    void progress(String what);

    /** The mount is made and about to answer. */
    void ready();

    /** There will be no mount. */
    void failed(ExitCode code, String sentence);

    /** A flush goes on, in the middle of the daemon's life or at its end. */
    default void flushing(FlushProgress progress) {}

    /** The daemon is about to end, and busy with something that may take long. */
    default void stopping(String what) {}
}
