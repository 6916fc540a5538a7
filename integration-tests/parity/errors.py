"""The errno families: every call on every kind of wrong object."""

import os

from harness import case
from system import utimens

CALLS = {
    "stat": lambda path: os.stat(path).st_size,
    "lstat": lambda path: os.lstat(path).st_size,
    "open to read": lambda path: os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK)),
    "open to write": lambda path: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK)),
    "open as a directory": lambda path: os.close(os.open(path, os.O_RDONLY | os.O_DIRECTORY)),
    "create": lambda path: os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)),
    "truncate": lambda path: os.truncate(path, 0),
    "mkdir": lambda path: os.mkdir(path),
    "mkfifo": lambda path: os.mkfifo(path),
    "symlink": lambda path: os.symlink("target", path),
    "readlink": lambda path: os.readlink(path),
    "chmod": lambda path: os.chmod(path, 0o700),
    "chown": lambda path: os.chown(path, 0, 0),
    "utimens": lambda path: utimens(path, (1, 0), (1, 0)),
    "listdir": lambda path: len(os.listdir(path)),
    "access": lambda path: os.access(path, os.F_OK),
    "statvfs": lambda path: os.statvfs(path).f_namemax,
    "link": lambda path: os.link(path, os.path.join(os.path.dirname(path.rstrip("/")), "linked")),
    "unlink": lambda path: os.unlink(path),
    "rmdir": lambda path: os.rmdir(path),
}


def prepare(t):
    t.make("file", b"x")
    os.mkdir(t.path("directory"))
    t.make("directory/inside")
    os.symlink("nowhere", t.path("dangling"))
    os.symlink("loop", t.path("loop"))
    os.mkfifo(t.path("fifo"))


def every_call(t, name):
    prepare(t)
    for label, function in CALLS.items():
        t.call(label, function, t.path(name))


@case
def errors_missing(t):
    prepare(t)
    for label, function in CALLS.items():
        if label not in ("create", "mkdir", "mkfifo", "symlink"):
            t.call(label, function, t.path("nothing"))


@case
def errors_missing_parent(t):
    every_call(t, "nothing/name")


@case
def errors_below_a_file(t):
    every_call(t, "file/name")


@case
def errors_existing_file(t):
    every_call(t, "file")


@case
def errors_trailing_slash(t):
    every_call(t, "file/")


@case
def errors_directory(t):
    every_call(t, "directory")


@case
def errors_dangling_link(t):
    prepare(t)
    for label, function in CALLS.items():
        if label != "open to write":
            t.call(label, function, t.path("dangling"))


@case
def errors_loop(t):
    every_call(t, "loop")


@case
def errors_fifo(t):
    every_call(t, "fifo")


@case
def errors_dot(t):
    every_call(t, "directory/.")


@case
def errors_negative_entries_do_not_stick(t):
    """A name that was missing exists once somebody made it, and is missing again after."""
    for index in range(5):
        t.call("missing", os.stat, t.path("name"))
        t.make("name", b"%d" % index)
        t.content("there", "name")
        os.rename(t.path("name"), t.path("other"))
        t.call("moved", os.stat, t.path("name"))
        t.content("other", "other")
        os.unlink(t.path("other"))
        t.call("missing other", os.stat, t.path("other"))
