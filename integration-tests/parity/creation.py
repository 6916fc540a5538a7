"""Files, directories and special files come into being."""

import os
import socket
import stat

from harness import case
from system import O_TMPFILE

READ_WRITE_CREATE = os.O_CREAT | os.O_RDWR


@case
def create(t):
    descriptor = t.open("create", "file", READ_WRITE_CREATE, 0o640)
    t.call("write", os.write, descriptor, b"hello")
    t.call("pread", os.pread, descriptor, 10, 0)
    os.close(descriptor)
    t.facts("facts", "file")
    again = t.open("open an existing one with O_CREAT", "file", READ_WRITE_CREATE, 0o777)
    t.call("read", os.read, again, 10)


@case
def create_exclusive(t):
    t.open("first", "file", READ_WRITE_CREATE | os.O_EXCL)
    t.open("second", "file", READ_WRITE_CREATE | os.O_EXCL)
    os.symlink("nowhere", t.path("link"))
    t.open("over a dangling link", "link", READ_WRITE_CREATE | os.O_EXCL)
    t.open("through a dangling link", "link", READ_WRITE_CREATE)


@case
def create_modes(t):
    for mode in (0o000, 0o400, 0o200, 0o644, 0o755, 0o1777, 0o2755, 0o4755, 0o7777):
        descriptor = t.open(f"create {mode:o}", f"file-{mode:o}", READ_WRITE_CREATE, mode)
        t.call("write although the mode forbids it", os.write, descriptor, b"x")
        t.call(f"mkdir {mode:o}", os.mkdir, t.path(f"dir-{mode:o}"), mode)


@case
def create_umask(t):
    for mask in (0, 0o077, 0o027, 0o777):
        os.umask(mask)
        t.open("create", f"file-{mask:o}", READ_WRITE_CREATE, 0o666)
        t.call("mkdir", os.mkdir, t.path(f"dir-{mask:o}"), 0o777)
        t.call("mkfifo", os.mkfifo, t.path(f"fifo-{mask:o}"), 0o666)


@case
def open_flags(t):
    t.make("file", b"0123456789")
    for label, flags in (("read", os.O_RDONLY), ("write", os.O_WRONLY), ("both", os.O_RDWR)):
        descriptor = t.open(label, "file", flags)
        t.call(f"{label}: read", os.read, descriptor, 4)
        t.call(f"{label}: write", os.write, descriptor, b"ab")
        t.see(f"{label}: offset", os.lseek(descriptor, 0, os.SEEK_CUR))
    t.content("content", "file")
    t.open("O_DIRECTORY on a file", "file", os.O_RDONLY | os.O_DIRECTORY)
    t.open("O_PATH", "file", os.O_PATH)
    os.symlink("file", t.path("link"))
    t.open("O_NOFOLLOW on a link", "link", os.O_RDONLY | os.O_NOFOLLOW)
    t.open("O_NOATIME", "file", os.O_RDONLY | os.O_NOATIME)


@case
def open_truncate(t):
    t.make("file", b"x" * 100000)
    before = os.stat(t.path("file")).st_mtime_ns
    holder = os.open(t.path("file"), os.O_RDWR)
    descriptor = t.open("O_TRUNC", "file", os.O_WRONLY | os.O_TRUNC)
    t.see("size seen through another handle", os.fstat(holder).st_size)
    t.call("read by another handle", os.pread, holder, 10, 0)
    os.write(descriptor, b"new")
    t.call("read after the write", os.pread, holder, 10, 0)
    t.see("mtime moved", os.stat(t.path("file")).st_mtime_ns >= before)
    t.open("O_TRUNC of an empty one", "empty", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)


@case
def open_append(t):
    t.make("file", b"start")
    first = t.open("first", "file", os.O_WRONLY | os.O_APPEND)
    second = t.open("second", "file", os.O_RDWR | os.O_APPEND)
    for index in range(5):
        os.write(first, b"first%d" % index)
        os.write(second, b"second%d" % index)
    t.call("seek to the start, then write", os.lseek, first, 0, os.SEEK_SET)
    os.write(first, b"end")
    t.see("offset", os.lseek(first, 0, os.SEEK_CUR))
    t.call("pwrite with O_APPEND", os.pwrite, first, b"P", 0)
    t.call("content", os.pread, second, 200, 0)


@case
def append_by_two_processes(t):
    t.make("log")
    children = []
    for letter in (b"a", b"b"):
        child = os.fork()
        if child == 0:
            descriptor = os.open(t.path("log"), os.O_WRONLY | os.O_APPEND)
            for _ in range(200):
                os.write(descriptor, letter * 100)
            os._exit(0)
        children.append(child)
    t.see("children", [os.waitpid(child, 0)[1] for child in children])
    with open(t.path("log"), "rb") as source:
        data = source.read()
    records = [data[start : start + 100] for start in range(0, len(data), 100)]
    t.see("whole records only", all(len(set(record)) == 1 for record in records))
    t.see("counts", [data.count(b"a"), data.count(b"b")])
    os.unlink(t.path("log"))


@case
def make_nodes(t):
    t.call("regular", os.mknod, t.path("regular"), stat.S_IFREG | 0o640)
    t.call("fifo", os.mknod, t.path("fifo"), stat.S_IFIFO | 0o600)
    t.call("socket", os.mknod, t.path("socket"), stat.S_IFSOCK | 0o600)
    t.call("character device", os.mknod, t.path("null"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    t.call("block device", os.mknod, t.path("block"), stat.S_IFBLK | 0o600, os.makedev(7, 200))
    t.call("taken name", os.mknod, t.path("fifo"), stat.S_IFIFO | 0o600)
    t.call("directory by mknod", os.mknod, t.path("directory"), stat.S_IFDIR | 0o700)


@case
def fifo_transfers(t):
    os.mkfifo(t.path("fifo"))
    reader = t.open("reader", "fifo", os.O_RDONLY | os.O_NONBLOCK)
    writer = t.open("writer", "fifo", os.O_WRONLY | os.O_NONBLOCK)
    t.call("write", os.write, writer, b"through")
    t.call("read", os.read, reader, 20)
    t.facts("facts", "fifo")


@case
def socket_transfers(t):
    os.chdir(t.directory)
    server = socket.socket(socket.AF_UNIX)
    t.call("bind", server.bind, "socket")
    server.listen(1)
    client = socket.socket(socket.AF_UNIX)
    t.call("connect", client.connect, "socket")
    connection = server.accept()[0]
    t.call("send", client.send, b"hello")
    t.call("receive", connection.recv, 10)
    t.call("bind again", socket.socket(socket.AF_UNIX).bind, "socket")


@case
def tmpfile(t):
    t.open("O_TMPFILE", ".", O_TMPFILE | os.O_RDWR)
