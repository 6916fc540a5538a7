package org.ssdcache.cli;

import org.ssdcache.control.ExitCode;
import org.ssdcache.daemon.StartupReport;
import picocli.CommandLine;

/** The report of a daemon that runs in the terminal; a failure reaches it as an exception too. */
final class ForegroundReport implements StartupReport {
    private final ProgressLine line;

    ForegroundReport(CommandLine command) {
        this.line = new ProgressLine(command.getErr());
    }

    @Override
    public void progress(String what) {
        line.show(what);
    }

    @Override
    public void ready() {
        line.end();
    }

    @Override
    public void failed(ExitCode code, String sentence) {
        line.end();
    }
}
