"""System calls that Python does not offer, by ctypes; all raise OSError."""

import ctypes
import mmap
import os

LIBC = ctypes.CDLL(None, use_errno=True)

FALLOC_FL_KEEP_SIZE = 0x01
FALLOC_FL_PUNCH_HOLE = 0x02
FALLOC_FL_COLLAPSE_RANGE = 0x08
FALLOC_FL_ZERO_RANGE = 0x10
FALLOC_FL_INSERT_RANGE = 0x20

RENAME_NOREPLACE = 1
RENAME_EXCHANGE = 2

UTIME_NOW = (1 << 30) - 1
UTIME_OMIT = (1 << 30) - 2
AT_FDCWD = -100
AT_SYMLINK_NOFOLLOW = 0x100
O_TMPFILE = 0o20000000 | os.O_DIRECTORY

PAGE_BYTES = 4096


class TimeSpec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def checked(result):
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def fallocate(descriptor, mode, offset, length):
    checked(LIBC.fallocate64(descriptor, mode, ctypes.c_int64(offset), ctypes.c_int64(length)))


def renameat2(source, target, flags):
    checked(LIBC.renameat2(AT_FDCWD, os.fsencode(source), AT_FDCWD, os.fsencode(target), flags))


def utimens(path, accessed, modified, follow=True):
    """Times as pairs (seconds, nanoseconds); nanoseconds may be UTIME_NOW or UTIME_OMIT."""
    times = (TimeSpec * 2)(TimeSpec(*accessed), TimeSpec(*modified))
    flags = 0 if follow else AT_SYMLINK_NOFOLLOW
    checked(LIBC.utimensat(AT_FDCWD, os.fsencode(path), times, flags))


def seekdir_listing(path, after):
    """Names in order; reads `after` entries, remembers the place, reads on, and seeks back to it."""
    LIBC.opendir.restype = ctypes.c_void_p
    LIBC.telldir.restype = ctypes.c_long
    directory = LIBC.opendir(os.fsencode(path))
    if not directory:
        raise OSError(ctypes.get_errno(), "opendir")
    handle = ctypes.c_void_p(directory)
    try:
        first = read_names(handle, after)
        place = LIBC.telldir(handle)
        rest = read_names(handle, -1)
        LIBC.seekdir(handle, ctypes.c_long(place))
        again = read_names(handle, -1)
        return first, rest, again
    finally:
        LIBC.closedir(handle)


def read_names(handle, count):
    # struct dirent64: d_ino 8, d_off 8, d_reclen 2, d_type 1, d_name at 19.
    LIBC.readdir64.restype = ctypes.c_void_p
    names = []
    while count < 0 or len(names) < count:
        entry = LIBC.readdir64(handle)
        if not entry:
            break
        names.append(ctypes.string_at(entry + 19))
    return names


def aligned(content):
    """The bytes in memory that O_DIRECT accepts."""
    length = -(-len(content) // PAGE_BYTES) * PAGE_BYTES
    memory = mmap.mmap(-1, max(length, PAGE_BYTES))
    memory[: len(content)] = content
    return memory


def direct_write(descriptor, content, offset):
    memory = aligned(content)
    with memoryview(memory)[: len(content)] as view:
        return os.pwritev(descriptor, [view], offset)


def direct_read(descriptor, length, offset):
    memory = aligned(b"\0" * length)
    with memoryview(memory)[:length] as view:
        count = 0
        while count < length and count % PAGE_BYTES == 0:
            more = os.preadv(descriptor, [view[count:]], offset + count)
            if more == 0:
                break
            count += more
        return bytes(view[:count])


def read_fully(descriptor, length, offset):
    """A read is short also when a filesystem dies in the middle of it; only the next one tells the error."""
    content = b""
    while len(content) < length:
        more = os.pread(descriptor, length - len(content), offset + len(content))
        if not more:
            break
        content += more
    return content
