package org.ssdcache.control;

/** A request that is not carried out, with the one sentence that says what to do about it. */
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final ExitCode code;

    public RefusedException(ExitCode code, String sentence) {
        super(sentence);
        this.code = code;
    }

    public RefusedException(ExitCode code, String sentence, Throwable cause) {
        super(sentence, cause);
        this.code = code;
    }

    public ExitCode code() {
        return code;
    }
}
