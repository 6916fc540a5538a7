package org.ssdcache.daemon;

import org.ssdcache.control.ExitCode;

/** Told how the start of a daemon goes: any number of steps, then one end. */
public interface StartupReport {
    /** The daemon is alive and busy with something that takes long. */
    void progress(String what);

    /** The mount is made and about to answer. */
    void ready();

    /** There will be no mount. */
    void failed(ExitCode code, String sentence);
}
