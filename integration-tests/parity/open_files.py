"""Open files that lose their names."""

import os

from harness import case


@case
def use_after_unlink(t):
    t.make("file", b"content" * 1000)
    descriptor = os.open(t.path("file"), os.O_RDWR)
    t.call("unlink", os.unlink, t.path("file"))
    t.see("listing", os.listdir(t.directory))
    t.call("read", os.pread, descriptor, 20, 100)
    t.call("write", os.pwrite, descriptor, b"new" * 3000, 50)
    t.call("read back", os.pread, descriptor, 9000, 0)
    t.see("nlink and size", [os.fstat(descriptor).st_nlink, os.fstat(descriptor).st_size])
    t.call("fchmod", os.fchmod, descriptor, 0o600)
    t.call("fchown", os.fchown, descriptor, 3, 4)
    t.call("futimens", os.utime, descriptor, (1000, 2000))
    status = os.fstat(descriptor)
    t.see("attributes", [status.st_mode, status.st_uid, status.st_gid, status.st_mtime])
    t.call("ftruncate", os.ftruncate, descriptor, 12)
    t.call("read the rest", os.pread, descriptor, 100, 0)
    t.call("fsync", os.fsync, descriptor)
    t.call("append beyond", os.pwrite, descriptor, b"end", 70000)
    t.see("size", os.fstat(descriptor).st_size)
    t.call("listing", os.listdir, t.directory)


@case
def reopen_after_unlink(t):
    t.make("file", b"content")
    descriptor = os.open(t.path("file"), os.O_RDWR)
    os.unlink(t.path("file"))
    again = t.call("by /proc/self/fd", lambda: os.open(f"/proc/self/fd/{descriptor}", os.O_RDWR) > 0)
    if again:
        with open(f"/proc/self/fd/{descriptor}", "r+b") as other:
            t.see("content", other.read())
            other.write(b" and more")
        t.call("seen by the first", os.pread, descriptor, 50, 0)
    t.call("stat by /proc/self/fd", lambda: os.stat(f"/proc/self/fd/{descriptor}").st_nlink)


@case
def link_back_after_unlink(t):
    t.make("file", b"content")
    descriptor = os.open(t.path("file"), os.O_RDWR)
    os.unlink(t.path("file"))
    t.call("linkat of an unlinked file", os.link, f"/proc/self/fd/{descriptor}", t.path("back"), follow_symlinks=True)


@case
def two_handles_after_unlink(t):
    t.make("file", b"content")
    first = os.open(t.path("file"), os.O_RDWR)
    second = os.open(t.path("file"), os.O_RDONLY)
    os.unlink(t.path("file"))
    os.pwrite(first, b"CHANGED", 0)
    t.call("second sees it", os.pread, second, 10, 0)
    os.close(first)
    t.call("after the close of the first", os.pread, second, 10, 0)


@case
def new_file_under_the_old_name(t):
    t.make("file", b"old" * 10000)
    old = os.open(t.path("file"), os.O_RDWR)
    os.pread(old, 30000, 0)
    os.unlink(t.path("file"))
    t.make("file", b"new")
    t.content("the new file", "file")
    t.call("the old one", os.pread, old, 6, 0)
    os.pwrite(old, b"OLD", 0)
    os.ftruncate(old, 10)
    t.content("the new file is untouched", "file")
    os.close(old)
    t.content("also after the close", "file")


@case
def rename_over_an_open_file(t):
    t.make("target", b"target content")
    t.make("source", b"source content")
    descriptor = os.open(t.path("target"), os.O_RDWR)
    t.call("rename", os.rename, t.path("source"), t.path("target"))
    t.call("old content by the handle", os.pread, descriptor, 20, 0)
    t.call("write by the handle", os.pwrite, descriptor, b"TARGET", 0)
    t.content("new content by the name", "target")
    t.see("nlink", os.fstat(descriptor).st_nlink)
    t.see("listing", os.listdir(t.directory))
    os.close(descriptor)
    t.see("listing after the close", os.listdir(t.directory))


@case
def rename_an_open_file(t):
    t.make("file", b"content")
    descriptor = os.open(t.path("file"), os.O_RDWR)
    os.mkdir(t.path("d"))
    os.rename(t.path("file"), t.path("d/moved"))
    t.call("write", os.pwrite, descriptor, b"CON", 0)
    t.content("by the new name", "d/moved")
    t.call("ftruncate", os.ftruncate, descriptor, 3)
    t.facts("by the new name", "d/moved")


@case
def rmdir_after_unlink_of_an_open_file(t):
    """What DROP DATABASE does: nothing hidden may keep the directory from being removed."""
    os.mkdir(t.path("d"))
    handles = []
    for index in range(20):
        t.make(f"d/{index}", b"x" * 9000)
        handles.append(os.open(t.path(f"d/{index}"), os.O_RDWR))
    for index in range(20):
        os.unlink(t.path(f"d/{index}"))
    t.see("listing", os.listdir(t.path("d")))
    t.call("rmdir", os.rmdir, t.path("d"))
    t.call("read", os.pread, handles[7], 5, 0)
    t.call("write", os.pwrite, handles[8], b"still", 0)
    t.see("sizes", [os.fstat(handle).st_size for handle in handles])
    for handle in handles:
        os.close(handle)


@case
def rename_over_open_then_rmdir(t):
    os.mkdir(t.path("d"))
    t.make("d/a", b"a")
    t.make("d/b", b"b")
    handle = os.open(t.path("d/b"), os.O_RDONLY)
    os.rename(t.path("d/a"), t.path("d/b"))
    os.unlink(t.path("d/b"))
    t.call("rmdir", os.rmdir, t.path("d"))
    t.call("read", os.pread, handle, 5, 0)


@case
def inode_reuse(t):
    """A file in a reused inode is another file: nothing of the old content may show."""
    numbers = set()
    reused = 0
    for index in range(60):
        name = f"file-{index}"
        t.make(name, b"%d" % index * 3000)
        t.content(name, name)
        number = os.stat(t.path(name)).st_ino
        reused += number in numbers
        numbers.add(number)
        if index % 3 == 0:
            descriptor = os.open(t.path(name), os.O_RDWR)
            os.ftruncate(descriptor, 20000)
            t.call("grown part", os.pread, descriptor, 30000, 0)
            os.close(descriptor)
        os.unlink(t.path(name))
    t.see("the file system did reuse inodes", reused > 0)


@case
def many_open_files(t):
    handles = []
    for index in range(300):
        handles.append(os.open(t.path(f"f{index}"), os.O_CREAT | os.O_RDWR))
        os.write(handles[-1], b"%d" % index)
    t.see("contents", [os.pread(handle, 10, 0) for handle in handles])
    for index in range(300):
        os.unlink(t.path(f"f{index}"))
    t.see("contents after unlink", [os.pread(handle, 10, 0) for handle in handles])
