package org.ssdcache.mount;

import org.ssdcache.file.AttributeChange;
import org.ssdcache.file.Caller;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.NativeMemory;

/**
 * Structures of libfuse 2.9's low-level interface on x86-64, by byte offset (fuse_common.h,
 * fuse_lowlevel.h). Each number was printed by a C program with offsetof. What jnr-fuse knows
 * rightly is taken from there ({@link StatLayout}); its struct fuse_file_info has the bits wrong.
 */
final class FuseLayout {
    static final int ARGS_BYTES = 24;
    static final int FORGET_BYTES = 16;

    private static final int ENTRY_GENERATION = 8;
    private static final int ENTRY_STAT = 16;
    private static final int ENTRY_ATTR_TIMEOUT = ENTRY_STAT + StatLayout.STAT_BYTES;
    private static final int ENTRY_TIMEOUT = ENTRY_ATTR_TIMEOUT + Double.BYTES;

    static final int ENTRY_BYTES = ENTRY_TIMEOUT + Double.BYTES;

    private static final int FILE_INFO_BITS = 20;
    private static final int FILE_INFO_HANDLE = 24;
    private static final byte KEEP_CACHE_BIT = 2;

    private static final int CONNECTION_MAX_READAHEAD = 16;
    private static final int CONNECTION_CAPABLE = 20;
    private static final int CONNECTION_WANT = 24;

    private FuseLayout() {}

    static int flags(long fileInfo) {
        return NativeMemory.getInt(fileInfo);
    }

    static long handle(long fileInfo) {
        return NativeMemory.getLong(fileInfo + FILE_INFO_HANDLE);
    }

    static void setHandle(long fileInfo, int handle, boolean keepPages) {
        NativeMemory.putLong(fileInfo + FILE_INFO_HANDLE, handle);
        if (keepPages) {
            byte bits = NativeMemory.getByte(fileInfo + FILE_INFO_BITS);
            NativeMemory.putByte(fileInfo + FILE_INFO_BITS, (byte) (bits | KEEP_CACHE_BIT));
        }
    }

    static Caller caller(long context) {
        return new Caller(
                NativeMemory.getInt(context),
                NativeMemory.getInt(context + 4),
                NativeMemory.getInt(context + 8),
                NativeMemory.getInt(context + 12));
    }

    static int task(long context) {
        return NativeMemory.getInt(context + 8);
    }

    /** Asks for a feature in struct fuse_conn_info, if the kernel has it. */
    static void want(long connection, int capability) {
        int capable = NativeMemory.getInt(connection + CONNECTION_CAPABLE);
        int want = NativeMemory.getInt(connection + CONNECTION_WANT);
        NativeMemory.putInt(connection + CONNECTION_WANT, want | (capable & capability));
    }

    static void limitReadahead(long connection, int bytes) {
        long address = connection + CONNECTION_MAX_READAHEAD;
        NativeMemory.putInt(address, Math.min(NativeMemory.getInt(address), bytes));
    }

    static long forgottenInode(long forget) {
        return NativeMemory.getLong(forget);
    }

    static long forgottenCount(long forget) {
        return NativeMemory.getLong(forget + 8);
    }

    /** Fills a struct fuse_entry_param. */
    static void putEntry(
            long entry, int number, int generation, FileStatus status, Timeouts timeouts) {
        NativeMemory.clear(entry, ENTRY_BYTES);
        NativeMemory.putLong(entry, number);
        NativeMemory.putLong(entry + ENTRY_GENERATION, generation);
        putStat(entry + ENTRY_STAT, status);
        NativeMemory.putDouble(entry + ENTRY_ATTR_TIMEOUT, timeouts.attributeSeconds());
        NativeMemory.putDouble(entry + ENTRY_TIMEOUT, timeouts.entrySeconds());
    }

    /** Fills a struct fuse_entry_param that says: there is no such name, and that will last. */
    static void putMissingEntry(long entry, Timeouts timeouts) {
        NativeMemory.clear(entry, ENTRY_BYTES);
        NativeMemory.putDouble(entry + ENTRY_TIMEOUT, timeouts.missingSeconds());
    }

    /** Fills a struct stat. */
    static void putStat(long stat, FileStatus status) {
        NativeMemory.clear(stat, StatLayout.STAT_BYTES);
        NativeMemory.putLong(stat + StatLayout.DEVICE, status.device());
        NativeMemory.putLong(stat + StatLayout.INODE, status.inode());
        NativeMemory.putLong(stat + StatLayout.LINKS, status.links());
        NativeMemory.putInt(stat + StatLayout.MODE, status.mode());
        NativeMemory.putInt(stat + StatLayout.UID, status.uid());
        NativeMemory.putInt(stat + StatLayout.GID, status.gid());
        NativeMemory.putLong(stat + StatLayout.SPECIAL_DEVICE, status.specialDevice());
        NativeMemory.putLong(stat + StatLayout.SIZE, status.sizeBytes());
        NativeMemory.putLong(stat + StatLayout.PREFERRED_IO, status.preferredIoBytes());
        NativeMemory.putLong(stat + StatLayout.BLOCKS, status.blocks());
        NativeMemory.putLong(stat + StatLayout.ACCESS_SECONDS, status.accessSeconds());
        NativeMemory.putLong(stat + StatLayout.ACCESS_NANOS, status.accessNanos());
        NativeMemory.putLong(stat + StatLayout.MODIFY_SECONDS, status.modifySeconds());
        NativeMemory.putLong(stat + StatLayout.MODIFY_NANOS, status.modifyNanos());
        NativeMemory.putLong(stat + StatLayout.CHANGE_SECONDS, status.changeSeconds());
        NativeMemory.putLong(stat + StatLayout.CHANGE_NANOS, status.changeNanos());
    }

    /** Reads a struct stat with the bits that say which members count (FUSE_SET_ATTR_*). */
    static AttributeChange attributeChange(long stat, int which) {
        return new AttributeChange(
                which,
                NativeMemory.getInt(stat + StatLayout.MODE),
                NativeMemory.getInt(stat + StatLayout.UID),
                NativeMemory.getInt(stat + StatLayout.GID),
                NativeMemory.getLong(stat + StatLayout.SIZE),
                NativeMemory.getLong(stat + StatLayout.ACCESS_SECONDS),
                NativeMemory.getLong(stat + StatLayout.ACCESS_NANOS),
                NativeMemory.getLong(stat + StatLayout.MODIFY_SECONDS),
                NativeMemory.getLong(stat + StatLayout.MODIFY_NANOS));
    }
}
