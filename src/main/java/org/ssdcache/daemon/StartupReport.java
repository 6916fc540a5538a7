package org.ssdcache.daemon;

import org.ssdcache.control.ExitCode;

/** Told how the start of a daemon goes: any number of steps, then one end. */
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
}
