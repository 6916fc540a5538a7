"""Modes, owners and times."""

import os
import time

from harness import case
from system import UTIME_NOW, UTIME_OMIT, utimens


@case
def chmod(t):
    t.make("file")
    os.mkdir(t.path("d"))
    for mode in (0o000, 0o777, 0o600, 0o4755, 0o2755, 0o1755, 0o7777):
        t.call(f"file {mode:o}", os.chmod, t.path("file"), mode)
        t.facts("facts", "file")
        t.call(f"directory {mode:o}", os.chmod, t.path("d"), mode)
        t.facts("directory's facts", "d")
    descriptor = os.open(t.path("file"), os.O_RDONLY)
    t.call("fchmod", os.fchmod, descriptor, 0o640)
    t.see("seen by fstat", os.fstat(descriptor).st_mode)
    t.call("missing", os.chmod, t.path("nothing"), 0o600)


@case
def chown(t):
    t.make("file")
    t.call("both", os.chown, t.path("file"), 1234, 5678)
    t.facts("facts", "file")
    t.call("only the owner", os.chown, t.path("file"), 99, -1)
    t.facts("facts", "file")
    t.call("only the group", os.chown, t.path("file"), -1, 98)
    t.facts("facts", "file")
    t.call("nothing", os.chown, t.path("file"), -1, -1)
    os.chmod(t.path("file"), 0o6755)
    t.call("drops set-id bits", os.chown, t.path("file"), 7, 8)
    t.facts("facts", "file")
    os.mkdir(t.path("d"))
    os.chmod(t.path("d"), 0o2755)
    t.call("directory keeps them", os.chown, t.path("d"), 7, 8)
    t.facts("directory", "d")
    descriptor = os.open(t.path("file"), os.O_RDONLY)
    t.call("fchown", os.fchown, descriptor, 1, 2)
    t.facts("facts", "file")
    t.call("large ids", os.chown, t.path("file"), 4000000000, 4000000001)
    t.facts("facts", "file")


@case
def utimes(t):
    t.make("file")
    path = t.path("file")

    def both():
        status = os.stat(path)
        return [status.st_atime_ns, status.st_mtime_ns]

    t.call("set", utimens, path, (1000, 123456789), (2000, 987654321))
    t.see("times", both())
    t.call("omit atime", utimens, path, (0, UTIME_OMIT), (3000, 1))
    t.see("times", both())
    t.call("omit mtime", utimens, path, (4000, 2), (0, UTIME_OMIT))
    t.see("times", both())
    t.call("omit both", utimens, path, (0, UTIME_OMIT), (0, UTIME_OMIT))
    t.see("times", both())
    # The kernel's clock for files runs a tick behind.
    earlier = time.time_ns() - 20_000_000
    t.call("mtime now", utimens, path, (5000, 3), (0, UTIME_NOW))
    t.see("atime", both()[0])
    t.see("mtime is now", earlier <= both()[1] <= time.time_ns())
    t.call("atime now", utimens, path, (0, UTIME_NOW), (6000, 4))
    t.see("mtime", both()[1])
    t.see("atime is now", earlier <= both()[0] <= time.time_ns())
    t.call("before 1970", utimens, path, (-1000, 0), (-2000, 5))
    t.see("times", both())
    t.call("after 2038", utimens, path, (5_000_000_000, 0), (6_000_000_000, 0))
    t.see("times", both())
    t.call("invalid", utimens, path, (0, 2_000_000_000), (0, 0))
    os.symlink("file", t.path("link"))
    t.call("of a link", utimens, t.path("link"), (7000, 0), (8000, 0), follow=False)
    t.see("link's mtime", os.lstat(t.path("link")).st_mtime)
    t.see("file's times", both())
    descriptor = os.open(path, os.O_RDONLY)
    t.call("futimens", os.utime, descriptor, (9000, 9001))
    t.see("times", both())
    os.mkdir(t.path("d"))
    t.call("directory", utimens, t.path("d"), (10000, 1), (10001, 2))
    t.see("directory's mtime", os.stat(t.path("d")).st_mtime_ns)


@case
def times_of_operations(t):
    """Which of mtime and ctime each operation moves."""
    t.make("file", b"content" * 1000)
    path = t.path("file")
    descriptor = os.open(path, os.O_RDWR)
    steps = {
        "write": lambda: os.pwrite(descriptor, b"x", 3),
        "append": lambda: os.pwrite(descriptor, b"x", 7000),
        "truncate down": lambda: os.ftruncate(descriptor, 100),
        "truncate up": lambda: os.truncate(path, 9000),
        "truncate to the same size": lambda: os.ftruncate(descriptor, 9000),
        "chmod": lambda: os.chmod(path, 0o600),
        "chown": lambda: os.chown(path, 5, 6),
        "link": lambda: os.link(path, t.path("link")),
        "unlink of the link": lambda: os.unlink(t.path("link")),
        "read": lambda: os.pread(descriptor, 10, 0),
        "fsync": lambda: os.fsync(descriptor),
        "empty write": lambda: os.pwrite(descriptor, b"", 0),
    }
    for label, step in steps.items():
        os.utime(path, (1000, 1000))
        before = os.stat(path)
        # ctime cannot be set; wait for the next tick of the kernel's clock, so that a move shows.
        wait_for_tick(t, before.st_ctime_ns)
        step()
        after = os.fstat(descriptor)
        t.see(f"{label}: mtime and ctime moved",
              [after.st_mtime_ns != before.st_mtime_ns, after.st_ctime_ns != before.st_ctime_ns])


def wait_for_tick(t, since_ns):
    probe = t.path("probe")
    while True:
        t.make("probe")
        os.utime(probe)
        reached = os.stat(probe).st_ctime_ns > since_ns
        os.unlink(probe)
        if reached:
            return


@case
def write_moves_times_without_close(t):
    t.make("file")
    os.utime(t.path("file"), (1000, 1000))
    descriptor = os.open(t.path("file"), os.O_RDWR)
    os.write(descriptor, b"x")
    t.see("mtime by stat while open", os.stat(t.path("file")).st_mtime > 1000)
    os.utime(descriptor, (2000, 2000))
    os.close(descriptor)
    t.see("close keeps a time that was set", os.stat(t.path("file")).st_mtime)


@case
def statfs(t):
    values = os.statvfs(t.directory)
    t.see("constant fields", [values.f_bsize, values.f_frsize, values.f_blocks, values.f_files, values.f_namemax])
    t.see("plausible", 0 < values.f_bavail <= values.f_bfree <= values.f_blocks and values.f_ffree <= values.f_files)
    t.make("file", b"x")
    descriptor = os.open(t.path("file"), os.O_RDONLY)
    t.see("by descriptor", os.fstatvfs(descriptor).f_blocks == values.f_blocks)


@case
def block_counts(t):
    t.make("file", b"x" * 100000)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    os.fsync(descriptor)
    t.see("st_blocks", os.fstat(descriptor).st_blocks)
    t.see("st_blksize", os.fstat(descriptor).st_blksize)
    os.ftruncate(descriptor, 10 << 20)
    os.fsync(descriptor)
    t.see("a hole takes no space", os.fstat(descriptor).st_blocks)
