package org.ssdcache.mount;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.file.FileSystem;
import org.ssdcache.io.DirectBuffers;
import org.ssdcache.io.Errno;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.NativeMemory;
import org.ssdcache.io.Posix;

/** Takes requests from the kernel and serves them, one at a time, until the session ends. */
final class Worker implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    /** What precedes the data of a write: struct fuse_in_header and struct fuse_write_in. */
    private static final int WRITE_HEADER_BYTES = 80;

    // dependencies
    private final LibFuse fuse;
    private final ListenerGate gate;

    // constant
    private final long session;
    private final long channel;
    private final int bufferBytes;
    private final Semaphore call = new Semaphore(0);

    Worker(LibFuse fuse, ListenerGate gate, long session, long channel) {
        this.fuse = fuse;
        this.gate = gate;
        this.session = session;
        this.channel = channel;
        this.bufferBytes = (int) fuse.fuse_chan_bufsize(channel);
    }

    @Override
    public void run() {
        if (prepare()) {
            serve();
        }
    }

    private static boolean prepare() {
        try {
            Posix.becomeIoFlusher();
        } catch (ErrnoException e) {
            LOG.debug("not an I/O flusher: {}", e.getMessage());
        }
        try {
            FileSystem.prepareThread();
            return true;
        } catch (ErrnoException e) {
            LOG.error("a worker cannot take its callers' umask and does not serve", e);
            return false;
        }
    }

    private void serve() {
        // One buffer for all requests; the data of a write begins at the start of a page.
        int skipBytes = DirectBuffers.ALIGNMENT_BYTES - WRITE_HEADER_BYTES;
        ByteBuffer memory = DirectBuffers.allocateAligned(skipBytes + bufferBytes);
        long channelPointer = DirectBuffers.addressOf(memory);
        long buffer = channelPointer + skipBytes;
        try {
            while (gate.awaitTurn(call)) {
                int lengthBytes = receive(buffer, channelPointer);
                gate.stopListening();
                if (lengthBytes <= 0) {
                    return;
                }
                fuse.fuse_session_process(session, buffer, lengthBytes, channel);
            }
        } finally {
            gate.end();
            Reference.reachabilityFence(memory);
        }
    }

    /** The length of the next request, or 0 when the kernel has ended the session. */
    private int receive(long buffer, long channelPointer) {
        while (true) {
            NativeMemory.putLong(channelPointer, channel);
            int result = fuse.fuse_chan_recv(channelPointer, buffer, bufferBytes);
            if (result >= 0) {
                return result;
            }
            if (result != -Errno.EINTR && result != -Errno.EAGAIN) {
                LOG.error("reading /dev/fuse failed: {}", Errno.describe(-result));
                return result;
            }
        }
    }
}
