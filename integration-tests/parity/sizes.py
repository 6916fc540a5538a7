"""Truncate, fallocate and sparse files."""

import os

from harness import case
from system import (FALLOC_FL_COLLAPSE_RANGE, FALLOC_FL_INSERT_RANGE, FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE,
                    FALLOC_FL_ZERO_RANGE, fallocate)

PATTERN = bytes(range(256)) * 1024  # 256 KiB


@case
def truncate(t):
    t.make("file", PATTERN)
    for size in (100000, 99999, 4096, 4095, 1, 0, 1, 5000, 300000):
        t.call(f"to {size}", os.truncate, t.path("file"), size)
        t.facts("facts", "file")
        t.content("content", "file")
    t.call("negative", os.truncate, t.path("file"), -1)
    t.call("directory", os.truncate, t.directory, 0)
    t.call("missing", os.truncate, t.path("nothing"), 0)


@case
def ftruncate(t):
    t.make("file", PATTERN)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    other = os.open(t.path("file"), os.O_RDONLY)
    for size in (200000, 16384, 16385, 8191, 40000, 0, 65536):
        t.call(f"to {size}", os.ftruncate, descriptor, size)
        t.see("size by both", [os.fstat(descriptor).st_size, os.fstat(other).st_size])
        t.call("tail", os.pread, other, 5000, max(0, size - 4000))
    t.call("of a reader", os.ftruncate, other, 0)
    t.content("content", "file")


@case
def truncate_then_grow_shows_zeros(t):
    """Bytes cut off never come back, neither by truncate nor by writing beyond."""
    t.make("file", b"\xaa" * 100000)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    os.pread(descriptor, 100000, 0)
    os.ftruncate(descriptor, 10001)
    os.pwrite(descriptor, b"end", 50000)
    t.call("hole", os.pread, descriptor, 50003, 0)
    os.ftruncate(descriptor, 20000)
    os.ftruncate(descriptor, 100000)
    t.call("content", os.pread, descriptor, 100000, 0)
    os.close(descriptor)
    t.content("content, not from the page cache", "file")


@case
def fallocate_plain(t):
    t.make("file", b"content")
    descriptor = os.open(t.path("file"), os.O_RDWR)
    t.call("extends", fallocate, descriptor, 0, 0, 100000)
    t.see("size", os.fstat(descriptor).st_size)
    t.call("inside", fallocate, descriptor, 0, 10, 100)
    t.see("size", os.fstat(descriptor).st_size)
    t.call("content", os.pread, descriptor, 100000, 0)
    t.call("length 0", fallocate, descriptor, 0, 0, 0)
    t.call("negative offset", fallocate, descriptor, 0, -1, 10)
    t.call("posix_fallocate", os.posix_fallocate, descriptor, 100000, 50000)
    t.call("of a reader", fallocate, os.open(t.path("file"), os.O_RDONLY), 0, 0, 10)
    t.call("of a directory", fallocate, os.open(t.directory, os.O_RDONLY), 0, 0, 10)


@case
def fallocate_keep_size(t):
    t.make("file", b"content")
    descriptor = os.open(t.path("file"), os.O_RDWR)
    t.call("keep size", fallocate, descriptor, FALLOC_FL_KEEP_SIZE, 0, 1 << 20)
    t.see("size", os.fstat(descriptor).st_size)
    os.fsync(descriptor)
    t.see("space is reserved", os.fstat(descriptor).st_blocks * 512 >= 1 << 20)
    os.pwrite(descriptor, b"x", 500000)
    t.see("size after a write beyond", os.fstat(descriptor).st_size)


@case
def fallocate_punch(t):
    t.make("file", PATTERN)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    os.pread(descriptor, len(PATTERN), 0)
    punch = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
    for offset, length in ((4096, 8192), (100, 50), (20000, 16384), (65535, 2), (250000, 100000)):
        t.call(f"punch {offset} {length}", fallocate, descriptor, punch, offset, length)
        t.call("content", os.pread, descriptor, len(PATTERN), 0)
    t.call("without keep size", fallocate, descriptor, FALLOC_FL_PUNCH_HOLE, 0, 4096)
    os.fsync(descriptor)
    t.see("space", os.fstat(descriptor).st_blocks)
    os.pwrite(descriptor, b"again", 5000)
    os.close(descriptor)
    t.content("content, not from the page cache", "file")


@case
def fallocate_zero(t):
    t.make("file", PATTERN)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    os.pread(descriptor, len(PATTERN), 0)
    t.call("inside", fallocate, descriptor, FALLOC_FL_ZERO_RANGE, 10000, 20000)
    t.call("content", os.pread, descriptor, len(PATTERN), 0)
    t.call("beyond, keep size", fallocate, descriptor, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 260000, 20000)
    t.see("size", os.fstat(descriptor).st_size)
    t.call("beyond", fallocate, descriptor, FALLOC_FL_ZERO_RANGE, 260000, 20000)
    t.see("size", os.fstat(descriptor).st_size)
    os.close(descriptor)
    t.content("content, not from the page cache", "file")


@case
def fallocate_collapse(t):
    t.make("file", PATTERN)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    t.call("collapse", fallocate, descriptor, FALLOC_FL_COLLAPSE_RANGE, 4096, 4096)
    t.call("insert", fallocate, descriptor, FALLOC_FL_INSERT_RANGE, 4096, 4096)
    os.unlink(t.path("file"))


@case
def seek_hole(t):
    descriptor = os.open(t.path("file"), os.O_CREAT | os.O_RDWR)
    os.pwrite(descriptor, b"x" * 4096, 1 << 20)
    os.fsync(descriptor)
    t.call("hole", os.lseek, descriptor, 0, os.SEEK_HOLE)
    t.call("data", os.lseek, descriptor, 0, os.SEEK_DATA)
    t.call("end", os.lseek, descriptor, 0, os.SEEK_END)
    t.call("data beyond the end", os.lseek, descriptor, 2 << 20, os.SEEK_DATA)


@case
def sparse(t):
    descriptor = os.open(t.path("file"), os.O_CREAT | os.O_RDWR)
    for offset in (5 << 20, 1 << 20, 3, (9 << 20) + 4097):
        os.pwrite(descriptor, b"island", offset)
    t.see("size", os.fstat(descriptor).st_size)
    t.call("around an island", os.pread, descriptor, 100, (5 << 20) - 50)
    t.call("hole", os.pread, descriptor, 100000, 2 << 20)
    os.fsync(descriptor)
    t.see("space", os.fstat(descriptor).st_blocks)
    t.content("content", "file")


@case
def beyond_four_gigabytes(t):
    descriptor = os.open(t.path("file"), os.O_CREAT | os.O_RDWR)
    offsets = [(1 << 32) - 3, (1 << 32) + 12345, (1 << 40) + 7, (1 << 31) - 5]
    for offset in offsets:
        t.call(f"write at {offset}", os.pwrite, descriptor, b"far away", offset)
    t.see("size", os.fstat(descriptor).st_size)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    for offset in offsets:
        t.call(f"read at {offset}", os.pread, descriptor, 20, offset - 5)
    t.call("low part is a hole", os.pread, descriptor, 100, 12345)
    t.call("truncate", os.ftruncate, descriptor, (1 << 32) + 1)
    t.call("end", os.pread, descriptor, 100, (1 << 32) - 10)
    t.call("too large", os.ftruncate, descriptor, 1 << 62)
    t.call("write too far", os.pwrite, descriptor, b"x", 1 << 62)
    os.unlink(t.path("file"))
