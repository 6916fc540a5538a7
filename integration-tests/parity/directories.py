"""Directories: making, removing, listing."""

import os

from harness import case
from system import seekdir_listing

MANY = 5000


@case
def mkdir_rmdir(t):
    t.call("mkdir", os.mkdir, t.path("d"))
    t.call("again", os.mkdir, t.path("d"))
    t.call("nested", os.mkdir, t.path("d/e"))
    t.see("link counts", [os.stat(t.path("d")).st_nlink, os.stat(t.path("d/e")).st_nlink])
    t.call("rmdir full", os.rmdir, t.path("d"))
    t.call("rmdir dot", os.rmdir, t.path("d/."))
    t.call("rmdir dot dot", os.rmdir, t.path("d/e/.."))
    t.call("rmdir", os.rmdir, t.path("d/e"))
    t.see("link count", os.stat(t.path("d")).st_nlink)
    t.call("rmdir", os.rmdir, t.path("d"))
    t.call("rmdir missing", os.rmdir, t.path("d"))
    t.make("file")
    t.call("rmdir file", os.rmdir, t.path("file"))


@case
def directory_times(t):
    os.mkdir(t.path("d"))
    steps = {
        "create": lambda: t.make("d/file"),
        "link": lambda: os.link(t.path("d/file"), t.path("d/link")),
        "symlink": lambda: os.symlink("x", t.path("d/symlink")),
        "mkdir": lambda: os.mkdir(t.path("d/sub")),
        "fifo": lambda: os.mkfifo(t.path("d/fifo")),
        "rename": lambda: os.rename(t.path("d/file"), t.path("d/renamed")),
        "unlink": lambda: os.unlink(t.path("d/link")),
        "rmdir": lambda: os.rmdir(t.path("d/sub")),
        "write": lambda: t.make("d/renamed", b"content"),
        "chmod": lambda: os.chmod(t.path("d/renamed"), 0o600),
    }
    for label, step in steps.items():
        os.utime(t.path("d"), (1000, 1000))
        step()
        t.see(f"{label}: mtime moved", os.stat(t.path("d")).st_mtime != 1000)


@case
def list_many(t):
    for index in range(MANY):
        os.close(os.open(t.path(f"file-{index:05}"), os.O_CREAT | os.O_WRONLY))
    t.see("count", len(os.listdir(t.directory)))
    seen = []
    with os.scandir(t.directory) as entries:
        for entry in entries:
            seen.append(entry.name)
            if int(entry.name[-1]) % 2:
                os.unlink(entry.path)
    t.see("every name exactly once, with deletes between", [len(seen), len(set(seen))])
    t.see("left", len(os.listdir(t.directory)))
    with os.scandir(t.directory) as entries:
        t.see("types", sorted({(entry.is_file(), entry.is_dir()) for entry in entries}))
    for name in os.listdir(t.directory):
        os.unlink(t.path(name))
    t.see("empty", os.listdir(t.directory))


@case
def list_while_creating(t):
    for index in range(500):
        t.make(f"old-{index}")
    seen = []
    with os.scandir(t.directory) as entries:
        for entry in entries:
            seen.append(entry.name)
            if len(seen) <= 200:
                t.make(f"new-{len(seen)}")
    old = [name for name in seen if name.startswith("old-")]
    t.see("every old name exactly once", [len(old), len(set(old))])
    t.see("no name twice", len(seen) == len(set(seen)))


@case
def list_and_seek(t):
    for index in range(300):
        t.make(f"file-{index}")
    first, rest, again = seekdir_listing(t.directory, 100)
    t.see("counts", [len(first), len(rest)])
    t.see("the same after seekdir", rest == again)
    t.see("all there", len(set(first) | set(rest)))


@case
def list_dots(t):
    first, rest, _ = seekdir_listing(t.directory, 1)
    t.see("dots", sorted(first + rest))


@case
def entry_types(t):
    t.make("file")
    os.mkdir(t.path("directory"))
    os.symlink("file", t.path("link"))
    os.mkfifo(t.path("fifo"))
    with os.scandir(t.directory) as entries:
        t.see("types", sorted([entry.name, entry.is_file(follow_symlinks=False), entry.is_dir(follow_symlinks=False),
                               entry.is_symlink()] for entry in entries))
    with os.scandir(t.directory) as entries:
        t.see("inode numbers agree with stat",
              all(entry.inode() == os.lstat(entry.path).st_ino for entry in entries))


@case
def directory_descriptors(t):
    os.mkdir(t.path("d"))
    descriptor = t.open("open", "d", os.O_RDONLY | os.O_DIRECTORY)
    t.call("create by openat", lambda: os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor)))
    t.call("listing", os.listdir, descriptor)
    t.call("fsync", os.fsync, descriptor)
    t.call("fdatasync", os.fdatasync, descriptor)
    t.call("read", os.read, descriptor, 10)
    t.open("for writing", "d", os.O_WRONLY)
    t.call("unlink by unlinkat", lambda: os.unlink("file", dir_fd=descriptor))
    t.call("rmdir while open", os.rmdir, t.path("d"))
    t.call("listing of a removed one", os.listdir, descriptor)
    t.call("create in a removed one", lambda: os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    t.call("nlink of a removed one", lambda: os.fstat(descriptor).st_nlink)


@case
def working_directory_removed(t):
    os.mkdir(t.path("d"))
    os.chdir(t.path("d"))
    os.rmdir(t.path("d"))
    t.call("getcwd", os.getcwd)
    t.call("stat dot", lambda: os.stat(".").st_nlink)
    t.call("create", os.open, "file", os.O_CREAT | os.O_WRONLY)
