package org.ssdcache.mount;

import jnr.ffi.Runtime;
import jnr.ffi.Struct;
import ru.serce.jnrfuse.struct.FileStat;
import ru.serce.jnrfuse.struct.Statvfs;

/**
 * Where the members of struct stat and struct statvfs are, on this machine: jnr-fuse knows it for
 * every machine it runs on. Only the offsets are taken, since its objects cost garbage for each
 * request.
 */
final class StatLayout {
    private static final Runtime RUNTIME = Runtime.getSystemRuntime();
    private static final FileStat STAT = new FileStat(RUNTIME);

    static final int STAT_BYTES = Struct.size(STAT);
    static final int STATVFS_BYTES = Struct.size(new Statvfs(RUNTIME));

    static final long DEVICE = STAT.st_dev.offset();
    static final long INODE = STAT.st_ino.offset();
    static final long LINKS = STAT.st_nlink.offset();
    static final long MODE = STAT.st_mode.offset();
    static final long UID = STAT.st_uid.offset();
    static final long GID = STAT.st_gid.offset();
    static final long SPECIAL_DEVICE = STAT.st_rdev.offset();
    static final long SIZE = STAT.st_size.offset();
    static final long PREFERRED_IO = STAT.st_blksize.offset();
    static final long BLOCKS = STAT.st_blocks.offset();
    static final long ACCESS_SECONDS = STAT.st_atim.tv_sec.offset();
    static final long ACCESS_NANOS = STAT.st_atim.tv_nsec.offset();
    static final long MODIFY_SECONDS = STAT.st_mtim.tv_sec.offset();
    static final long MODIFY_NANOS = STAT.st_mtim.tv_nsec.offset();
    static final long CHANGE_SECONDS = STAT.st_ctim.tv_sec.offset();
    static final long CHANGE_NANOS = STAT.st_ctim.tv_nsec.offset();

    private StatLayout() {}
}
