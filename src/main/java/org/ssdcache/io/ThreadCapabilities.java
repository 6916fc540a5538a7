package org.ssdcache.io;

/**
 * The capabilities of one thread, remembered so that they can be put back after setfsuid(2) has
 * taken those that concern files. Used only by the thread that made it.
 */
public final class ThreadCapabilities {
    /** _LINUX_CAPABILITY_VERSION_3: two structures of three words, 64 capabilities. */
    private static final int VERSION = 0x20080522;

    private static final int HEADER_BYTES = 8;
    private static final int DATA_BYTES = 24;
    private static final int CAP_DAC_OVERRIDE = 1;
    private static final int CAP_SYS_RESOURCE = 24;

    private final ScratchMemory memory = new ScratchMemory(HEADER_BYTES + DATA_BYTES);
    private final long header = memory.address();
    private final long data = header + HEADER_BYTES;

    /** Reads the calling thread's capabilities. */
    public ThreadCapabilities() throws ErrnoException {
        NativeMemory.putInt(header, VERSION);
        Posix.capGet(header, data);
    }

    /** Whether permissions of files and directories do not concern the thread. */
    public boolean overridePermissions() {
        return (NativeMemory.getInt(data) & 1 << CAP_DAC_OVERRIDE) != 0;
    }

    /** Makes the remembered capabilities effective again. */
    public void restore() throws ErrnoException {
        Posix.capSet(header, data);
    }

    /**
     * Gives up the right to exceed disk quotas, which root has and the files' owners have not: a
     * write that goes through this thread must meet EDQUOT where the owner would.
     */
    public void obeyQuotas() throws ErrnoException {
        NativeMemory.putInt(data, NativeMemory.getInt(data) & ~(1 << CAP_SYS_RESOURCE));
        Posix.capSet(header, data);
    }
}
