"""Reading and writing: positions, alignments, O_DIRECT, O_SYNC, fsync."""

import os
import random

from harness import case
from system import direct_read, direct_write

SEED = 20240229


@case
def read_at_the_end(t):
    t.make("file", b"0123456789")
    descriptor = os.open(t.path("file"), os.O_RDONLY)
    for offset, length in ((0, 10), (0, 100), (5, 100), (9, 1), (10, 1), (11, 5), (1 << 40, 5), (3, 0)):
        t.call(f"{length} at {offset}", os.pread, descriptor, length, offset)
    t.call("negative offset", os.pread, descriptor, 1, -1)
    empty = os.open(t.path("empty"), os.O_CREAT | os.O_RDONLY)
    t.call("empty file", os.read, empty, 10)


@case
def unaligned_transfers(t):
    generator = random.Random(SEED)
    descriptor = os.open(t.path("file"), os.O_CREAT | os.O_RDWR)
    for _ in range(300):
        offset = generator.randrange(600000)
        length = generator.choice((1, 7, 511, 512, 513, 4095, 4096, 4097, 16383, 16384, 20000, 131072, 140000))
        if generator.random() < 0.6:
            t.call("write", os.pwrite, descriptor, generator.randbytes(length), offset)
        else:
            t.call("read", os.pread, descriptor, length, offset)
    t.content("content", "file")


@case
def large_transfers(t):
    generator = random.Random(SEED)
    data = generator.randbytes(5 << 20)
    descriptor = os.open(t.path("file"), os.O_CREAT | os.O_RDWR)
    t.call("write 5M", os.pwrite, descriptor, data, 12345)
    t.call("read 5M", os.pread, descriptor, len(data), 12345)
    t.call("vectors", os.pwritev, descriptor, [data[:100], data[100:5000], b"", data[5000:70000]], 1 << 20)
    os.close(descriptor)
    t.content("content", "file")


@case
def direct_transfers(t):
    generator = random.Random(SEED)
    t.make("file", generator.randbytes(300000))
    descriptor = t.open("open", "file", os.O_RDWR | os.O_DIRECT)
    buffered = os.open(t.path("file"), os.O_RDWR)
    for offset, length in ((0, 4096), (8192, 16384), (4096, 131072), (512, 512), (1536, 4096), (299520, 4096)):
        t.call(f"read {length} at {offset}", direct_read, descriptor, length, offset)
        t.call(f"write {length} at {offset}", direct_write, descriptor, generator.randbytes(length), offset)
        t.call("seen by a buffered reader", os.pread, buffered, length, offset)
        t.call("buffered write", os.pwrite, buffered, b"buffered", offset + 3)
        t.call("seen by the direct reader", direct_read, descriptor, length, offset)
    t.call("at the end", direct_read, descriptor, 4096, 303104)
    t.call("append", direct_write, descriptor, generator.randbytes(4096), 4096 * 75)
    t.see("size", os.fstat(descriptor).st_size)
    t.content("content", "file")


@case
def synchronous_transfers(t):
    for label, flags in (("O_SYNC", os.O_SYNC), ("O_DSYNC", os.O_DSYNC), ("direct", os.O_DIRECT | os.O_DSYNC)):
        descriptor = t.open(label, label, os.O_CREAT | os.O_RDWR | flags)
        t.call("write", direct_write, descriptor, b"s" * 8192, 0)
        t.call("write inside", direct_write, descriptor, b"S" * 4096, 4096)
        t.call("read", direct_read, descriptor, 8192, 0)


@case
def syncs(t):
    t.make("file", b"x" * 10000)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    os.pwrite(descriptor, b"y", 5000)
    t.call("fsync", os.fsync, descriptor)
    t.call("fdatasync", os.fdatasync, descriptor)
    reader = os.open(t.path("file"), os.O_RDONLY)
    t.call("fsync of a reader", os.fsync, reader)
    os.mkfifo(t.path("fifo"))
    fifo = os.open(t.path("fifo"), os.O_RDWR)
    t.call("fsync of a fifo", os.fsync, fifo)
    directory = os.open(t.directory, os.O_RDONLY)
    t.call("fsync of the directory", os.fsync, directory)
    os.sync()


@case
def two_handles_one_file(t):
    t.make("file", b"." * 50000)
    first = os.open(t.path("file"), os.O_RDWR)
    second = os.open(t.path("file"), os.O_RDWR)
    for index in range(40):
        os.pwrite(first if index % 2 else second, b"%05d" % index, index * 1111)
        t.call("by the other", os.pread, second if index % 2 else first, 7, index * 1111 - min(index, 1))
    os.close(first)
    t.call("after the close of one", os.pread, second, 50000, 0)


@case
def duplicated_descriptors(t):
    descriptor = os.open(t.path("file"), os.O_CREAT | os.O_RDWR)
    copy = os.dup(descriptor)
    os.write(descriptor, b"one")
    os.write(copy, b"two")
    t.call("close one", os.close, descriptor)
    os.write(copy, b"three")
    t.see("offset", os.lseek(copy, 0, os.SEEK_CUR))
    t.content("content", "file")


@case
def copy_file_range(t):
    t.make("source", bytes(range(256)) * 2000)
    source = os.open(t.path("source"), os.O_RDONLY)
    target = os.open(t.path("target"), os.O_CREAT | os.O_RDWR)
    copied = 0
    while copied < 512000:
        count = os.copy_file_range(source, target, 512000 - copied)
        if count == 0:
            break
        copied += count
    t.see("copied", copied)
    t.content("target", "target")


@case
def sendfile(t):
    t.make("source", bytes(range(256)) * 1000)
    source = os.open(t.path("source"), os.O_RDONLY)
    target = os.open(t.path("target"), os.O_CREAT | os.O_RDWR)
    sent = 0
    while sent < 256000:
        count = os.sendfile(target, source, sent, 256000 - sent)
        if count == 0:
            break
        sent += count
    t.see("sent", sent)
    t.content("target", "target")


@case
def execute(t):
    t.make("script", b"#!/bin/sh\nexit 7\n", 0o755)
    t.see("exit code", os.waitstatus_to_exitcode(os.system(t.path("script"))))
    t.call("write while not running", lambda: os.close(os.open(t.path("script"), os.O_RDWR)))
