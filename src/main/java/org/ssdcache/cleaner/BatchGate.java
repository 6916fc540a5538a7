package org.ssdcache.cleaner;

/** What a batch asks while it is under way. */
interface BatchGate {
    /** For whom nothing is more urgent. */
    BatchGate OPEN =
            new BatchGate() {
                @Override
                public void beforeRequest() {}

                @Override
                public boolean isEndWanted() {
                    return false;
                }
            };

    /** A request to the backing follows; others may go first. */
    void beforeRequest();

    /** Whether the batch should end with what it has, because others wait for it. */
    boolean isEndWanted();
}
