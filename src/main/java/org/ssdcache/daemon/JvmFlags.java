package org.ssdcache.daemon;

import java.util.ArrayList;
import java.util.List;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;

/** The flags of a daemon's virtual machine. */
final class JvmFlags {
    private static final long BASE_HEAP_BYTES = 128L << 20;

    /** Index, eviction policy and slot states together. */
    private static final int HEAP_BYTES_PER_SLOT = 26;

    /**
     * Room to grow, never taken by a database's few files: an inode that the kernel knows costs
     * about 250 bytes, the number of a cached file about 60, and a block may be a file of its own.
     */
    private static final long SPARE_HEAP_BYTES = 384L << 20;

    private static final int SPARE_HEAP_BYTES_PER_SLOT = 100;

    private static final int FIRST_VERSION_WITH_NATIVE_ACCESS_FLAG = 22;

    private JvmFlags() {}

    static List<String> of(MountPlan plan, int javaVersion) {
        long slots = plan.sizeBytes() / plan.blockBytes();
        long heapMegabytes = heapBytes(slots) >> 20;
        long spareMegabytes = (SPARE_HEAP_BYTES + slots * SPARE_HEAP_BYTES_PER_SLOT) >> 20;
        List<String> flags = new ArrayList<>();
        // What the cache itself needs is there from the start, not when memory is short.
        flags.add("-Xms" + heapMegabytes + "m");
        flags.add("-Xmx" + (heapMegabytes + spareMegabytes) + "m");
        // File data is outside the heap and little garbage is made: the simplest collector does.
        flags.add("-XX:+UseSerialGC");
        flags.add("-XX:MaxDirectMemorySize=256m");
        flags.add("-Djdk.nio.maxCachedBufferSize=262144");
        // The shared file of performance counters stalls the JVM while its disk is busy.
        flags.add("-XX:+PerfDisableSharedMem");
        // A daemon without memory must end, so that the mount fails instead of hanging.
        flags.add("-XX:+ExitOnOutOfMemoryError");
        String name = MountName.of(plan.mountpoint());
        flags.add("-XX:ErrorFile=" + plan.logDirectory().resolve(name + "-crash-%p.log"));
        flags.add("-Djava.io.tmpdir=" + plan.temporaryDirectory());
        flags.add("-Djffi.extract.dir=" + plan.temporaryDirectory());
        if (javaVersion >= FIRST_VERSION_WITH_NATIVE_ACCESS_FLAG) {
            flags.add("--enable-native-access=ALL-UNNAMED");
        }
        return flags;
    }

    /** Refuses a cache for which this process was not given enough memory. */
    static void refuseWithoutHeap(CacheShape shape) throws RefusedException {
        long slots = shape.sizeBytes() / shape.blockBytes();
        if (heapBytes(slots) > Runtime.getRuntime().maxMemory()) {
            throw new RefusedException(
                    ExitCode.UNSUPPORTED,
                    String.format(
                            "The daemon was started with memory for a smaller cache than %s with"
                                    + " blocks of %s; unmount, and mount with the larger one.",
                            ByteSize.format(shape.sizeBytes()),
                            ByteSize.format(shape.blockBytes())));
        }
    }

    static long heapBytes(long slots) {
        return BASE_HEAP_BYTES + slots * HEAP_BYTES_PER_SLOT;
    }
}
