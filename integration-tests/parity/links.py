"""Hard links are one file."""

import os

from harness import case


def shared_facts(t, names):
    statuses = [os.stat(t.path(name)) for name in names]
    t.see("nlink", [status.st_nlink for status in statuses])
    t.see("size", [status.st_size for status in statuses])
    t.see("one inode", len({status.st_ino for status in statuses}))
    t.see("one mtime", len({status.st_mtime_ns for status in statuses}))
    t.see("one ctime", len({status.st_ctime_ns for status in statuses}))


@case
def hard_links(t):
    t.make("a", b"content")
    os.mkdir(t.path("d"))
    t.call("link", os.link, t.path("a"), t.path("b"))
    t.call("link in a directory", os.link, t.path("b"), t.path("d/c"))
    names = ["a", "b", "d/c"]
    shared_facts(t, names)
    for name in names:
        descriptor = os.open(t.path(name), os.O_RDWR | os.O_APPEND)
        os.write(descriptor, name.encode() * 2000)
        os.close(descriptor)
        shared_facts(t, names)
        for reader in names:
            t.content(f"{reader} after a write by {name}", reader)
    os.truncate(t.path("b"), 10)
    shared_facts(t, names)
    os.chmod(t.path("d/c"), 0o600)
    os.chown(t.path("a"), 8, 9)
    for name in names:
        t.facts(name, name)


@case
def hard_links_of_open_files(t):
    t.make("a", b"content" * 5000)
    os.link(t.path("a"), t.path("b"))
    first = os.open(t.path("a"), os.O_RDWR)
    second = os.open(t.path("b"), os.O_RDWR)
    os.pread(second, 35000, 0)
    os.pwrite(first, b"FIRST", 20000)
    t.call("second sees it", os.pread, second, 10, 20000)
    os.pwrite(second, b"SECOND", 30000)
    t.call("first sees it", os.pread, first, 10, 30000)
    os.ftruncate(first, 25000)
    t.see("second's size", os.fstat(second).st_size)
    os.unlink(t.path("a"))
    t.see("nlink by the first handle", os.fstat(first).st_nlink)
    os.pwrite(first, b"still", 100)
    t.content("by the other name", "b")
    os.unlink(t.path("b"))
    t.see("nlink", [os.fstat(first).st_nlink, os.fstat(second).st_nlink])
    t.call("read", os.pread, second, 10, 98)


@case
def link_errors(t):
    t.make("a")
    os.mkdir(t.path("d"))
    os.symlink("a", t.path("s"))
    t.call("of a directory", os.link, t.path("d"), t.path("x"))
    t.call("over a name", os.link, t.path("a"), t.path("s"))
    t.call("of nothing", os.link, t.path("nothing"), t.path("x"))
    t.call("into nothing", os.link, t.path("a"), t.path("no/x"))
    t.call("of a symlink itself", os.link, t.path("s"), t.path("t"), follow_symlinks=False)
    t.facts("facts", "t")
    t.call("onto itself", os.link, t.path("a"), t.path("a"))


@case
def rename_between_hard_links(t):
    t.make("a", b"content")
    os.link(t.path("a"), t.path("b"))
    t.call("rename a link over the other does nothing", os.rename, t.path("a"), t.path("b"))
    t.see("listing", sorted(os.listdir(t.directory)))
    t.make("c", b"other")
    t.call("rename over one link", os.rename, t.path("c"), t.path("a"))
    t.see("nlink of the other", os.stat(t.path("b")).st_nlink)
    t.content("a", "a")
    t.content("b", "b")


@case
def hard_link_of_special_files(t):
    os.mkfifo(t.path("fifo"))
    t.call("link", os.link, t.path("fifo"), t.path("fifo2"))
    t.facts("facts", "fifo2")
