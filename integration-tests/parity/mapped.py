"""Memory-mapped files."""

import mmap
import os

from harness import case


@case
def mapped_reads(t):
    t.make("file", bytes(range(256)) * 500)
    descriptor = os.open(t.path("file"), os.O_RDONLY)
    with mmap.mmap(descriptor, 0, mmap.MAP_SHARED, mmap.PROT_READ) as memory:
        t.see("content", memory[:])
    with mmap.mmap(descriptor, 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE) as memory:
        memory[0:5] = b"local"
        t.see("private change", memory[0:10])
    t.content("file is unchanged", "file")


@case
def mapped_writes(t):
    t.make("file", b"." * 100000)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    with mmap.mmap(descriptor, 0, mmap.MAP_SHARED) as memory:
        memory[5000:5006] = b"mapped"
        t.call("seen by read at once", os.pread, descriptor, 10, 4999)
        t.call("msync", memory.flush)
        os.pwrite(descriptor, b"written", 60000)
        t.see("write seen in the mapping", memory[59999:60010])
        memory[99990:100000] = b"0123456789"
        t.call("msync of a part", memory.flush, 98304, 1696)
    os.close(descriptor)
    t.content("content, not from the page cache", "file")


@case
def mapped_writes_after_close(t):
    t.make("file", b"." * 20000)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    memory = mmap.mmap(descriptor, 0, mmap.MAP_SHARED)
    os.close(descriptor)
    memory[100:105] = b"after"
    t.call("msync", memory.flush)
    memory[10000:10006] = b"unsync"
    memory.close()
    os.sync()
    t.content("content", "file")


@case
def mapped_writes_of_an_unlinked_file(t):
    t.make("file", b"." * 20000)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    memory = mmap.mmap(descriptor, 0, mmap.MAP_SHARED)
    os.unlink(t.path("file"))
    memory[0:4] = b"gone"
    t.call("msync", memory.flush)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    t.call("read", os.pread, descriptor, 6, 0)


@case
def mapping_grown_by_truncate(t):
    t.make("file", b"x" * 5000)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    os.ftruncate(descriptor, 12288)
    with mmap.mmap(descriptor, 12288, mmap.MAP_SHARED) as memory:
        t.see("tail is zero", memory[4990:12288])
        memory[12000:12003] = b"new"
        t.call("msync", memory.flush)
    os.ftruncate(descriptor, 12001)
    t.content("content", "file")


@case
def mapping_time(t):
    t.make("file", b"x" * 5000)
    os.utime(t.path("file"), (1000, 1000))
    descriptor = os.open(t.path("file"), os.O_RDWR)
    with mmap.mmap(descriptor, 0, mmap.MAP_SHARED) as memory:
        memory[0:1] = b"y"
        memory.flush()
    t.see("mtime moved", os.stat(t.path("file")).st_mtime > 1000)
