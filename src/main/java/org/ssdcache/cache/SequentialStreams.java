package org.ssdcache.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import org.ssdcache.block.FileId;
import org.ssdcache.io.Clock;

/**
 * Finds long sequential streams, as bcache does: the last 128 requests are remembered for five
 * seconds, a request that goes on where one of them ended belongs to its stream, and a task's
 * average stream length counts as well (bcache, {@code check_should_bypass}).
 *
 * <p>Read-ahead requests of one stream are served by several threads and arrive out of order, so a
 * request also belongs to a stream if it begins within two of its own lengths of the end. Only the
 * bytes by which it moves the end count, so random requests in a small file make no stream.
 */
final class SequentialStreams {
    static final long DEFAULT_CUTOFF_BYTES = 4L << 20;

    private static final int REMEMBERED = 128;
    private static final long FORGET_AFTER_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int TASKS = 256;
    private static final int AVERAGE_WEIGHT = 8;

    private static final class Stream {
        private FileId file;
        private long endBytes;
        private long lengthBytes;
        private long seenNanos;
    }

    private final Clock clock;
    private volatile long cutoffBytes = DEFAULT_CUTOFF_BYTES;

    @GuardedBy("this")
    private final Stream[] streams = new Stream[REMEMBERED];

    @GuardedBy("this")
    private final long[] taskStreamBytes = new long[TASKS];

    @GuardedBy("this")
    private final long[] taskAverageBytes = new long[TASKS];

    SequentialStreams(Clock clock) {
        this.clock = clock;
        for (int i = 0; i < REMEMBERED; i++) {
            streams[i] = new Stream();
        }
    }

    long cutoffBytes() {
        return cutoffBytes;
    }

    /**
     * @param bytes stream length from which requests bypass the cache; 0 = never
     */
    void setCutoffBytes(long bytes) {
        cutoffBytes = bytes;
    }

    /** Takes note of a request and tells whether its stream is too long to be cached. */
    boolean bypasses(FileId file, long offsetBytes, int lengthBytes, int task) {
        long cutoff = cutoffBytes;
        if (cutoff == 0) {
            return false;
        }
        synchronized (this) {
            long now = clock.monotonicNanos();
            int taskIndex = Math.floorMod(task, TASKS);
            Stream stream = streamOf(file, offsetBytes, lengthBytes, now);
            if (stream == null) {
                rememberAverage(taskIndex);
                stream = oldest();
                stream.file = file;
                stream.endBytes = offsetBytes;
                stream.lengthBytes = 0;
            }
            long endBytes = Math.max(stream.endBytes, offsetBytes + lengthBytes);
            stream.lengthBytes += endBytes - stream.endBytes;
            stream.endBytes = endBytes;
            stream.seenNanos = now;
            taskStreamBytes[taskIndex] = stream.lengthBytes;
            return Math.max(stream.lengthBytes, taskAverageBytes[taskIndex]) >= cutoff;
        }
    }

    @GuardedBy("this")
    private Stream streamOf(FileId file, long offsetBytes, int lengthBytes, long now) {
        long tolerance = 2L * lengthBytes;
        for (Stream stream : streams) {
            if (stream.file != null
                    && Math.abs(offsetBytes - stream.endBytes) <= tolerance
                    && now - stream.seenNanos < FORGET_AFTER_NANOS
                    && stream.file.equals(file)) {
                return stream;
            }
        }
        return null;
    }

    @GuardedBy("this")
    private Stream oldest() {
        Stream oldest = streams[0];
        for (Stream stream : streams) {
            if (stream.file == null) {
                return stream;
            }
            if (stream.seenNanos - oldest.seenNanos < 0) {
                oldest = stream;
            }
        }
        return oldest;
    }

    /** The task began a new stream: its last one enters the moving average. */
    @GuardedBy("this")
    private void rememberAverage(int taskIndex) {
        long average = taskAverageBytes[taskIndex];
        taskAverageBytes[taskIndex] =
                (average * (AVERAGE_WEIGHT - 1) + taskStreamBytes[taskIndex]) / AVERAGE_WEIGHT;
        taskStreamBytes[taskIndex] = 0;
    }
}
