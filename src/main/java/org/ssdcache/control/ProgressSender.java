package org.ssdcache.control;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends progress to the client of one request, as far as it takes it, and notices when it is gone.
 * Never waits for the client.
 */
final class ProgressSender implements FlushProgress.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ProgressSender.class);
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final LineChannel channel;
    private long lastNanos = System.nanoTime() - INTERVAL_NANOS;
    private boolean gone;

    ProgressSender(LineChannel channel) {
        this.channel = channel;
    }

    @Override
    public boolean report(FlushProgress progress) {
        long now = System.nanoTime();
        if (!gone && now - lastNanos >= INTERVAL_NANOS) {
            lastNanos = now;
            send(progress);
        }
        return !gone;
    }

    private void send(FlushProgress progress) {
        try {
            channel.offerLine(Protocol.progress(progress).toString());
        } catch (IOException e) {
            gone = true;
            LOG.info("The command that waited for a flush is gone; the flush ends");
        }
    }
}
