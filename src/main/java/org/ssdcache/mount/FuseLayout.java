package org.ssdcache.mount;

import org.ssdcache.file.AttributeChange;
import org.ssdcache.file.Caller;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.NativeMemory;

/**
 * Structures of libfuse 2.9 and of the C library on x86-64, by byte offset (fuse_common.h,
 * fuse_lowlevel.h, struct stat). Each number was printed by a C program with offsetof.
 */
final class FuseLayout {
    static final int STAT_BYTES = 144;
    static final int STATVFS_BYTES = 112;
    static final int ENTRY_BYTES = 176;
    static final int ARGS_BYTES = 24;
    static final int FORGET_BYTES = 16;

    private static final int ENTRY_GENERATION = 8;
    private static final int ENTRY_STAT = 16;
    private static final int ENTRY_ATTR_TIMEOUT = 160;
    private static final int ENTRY_TIMEOUT = 168;

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
        NativeMemory.clear(stat, STAT_BYTES);
        NativeMemory.putLong(stat, status.device());
        NativeMemory.putLong(stat + 8, status.inode());
        NativeMemory.putLong(stat + 16, status.links());
        NativeMemory.putInt(stat + 24, status.mode());
        NativeMemory.putInt(stat + 28, status.uid());
        NativeMemory.putInt(stat + 32, status.gid());
        NativeMemory.putLong(stat + 40, status.specialDevice());
        NativeMemory.putLong(stat + 48, status.sizeBytes());
        NativeMemory.putLong(stat + 56, status.preferredIoBytes());
        NativeMemory.putLong(stat + 64, status.blocks());
        NativeMemory.putLong(stat + 72, status.accessSeconds());
        NativeMemory.putLong(stat + 80, status.accessNanos());
        NativeMemory.putLong(stat + 88, status.modifySeconds());
        NativeMemory.putLong(stat + 96, status.modifyNanos());
        NativeMemory.putLong(stat + 104, status.changeSeconds());
        NativeMemory.putLong(stat + 112, status.changeNanos());
    }

    /** Reads a struct stat with the bits that say which members count (FUSE_SET_ATTR_*). */
    static AttributeChange attributeChange(long stat, int which) {
        return new AttributeChange(
                which,
                NativeMemory.getInt(stat + 24),
                NativeMemory.getInt(stat + 28),
                NativeMemory.getInt(stat + 32),
                NativeMemory.getLong(stat + 48),
                NativeMemory.getLong(stat + 72),
                NativeMemory.getLong(stat + 80),
                NativeMemory.getLong(stat + 88),
                NativeMemory.getLong(stat + 96));
    }
}
