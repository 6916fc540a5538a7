"""Who may do what: other users, groups, set-id and sticky bits."""

import os

from harness import case

OWNER, GROUP = 4001, 4001
OTHER, SUPPLEMENTARY = 4002, 4500


def become(uid, gid, groups=()):
    os.setgroups(list(groups))
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def open_up(t):
    os.chmod(t.directory, 0o777)


@case
def owner_of_new_files(t):
    open_up(t)
    become(OWNER, GROUP)
    t.open("create", "file", os.O_CREAT | os.O_WRONLY, 0o644)
    t.call("mkdir", os.mkdir, t.path("d"))
    t.call("symlink", os.symlink, "file", t.path("link"))
    t.call("mkfifo", os.mkfifo, t.path("fifo"))
    for name in ("file", "d", "link", "fifo"):
        t.facts(name, name)


@case
def access_as_another(t):
    t.make("private", b"secret", 0o600)
    t.make("readable", b"open", 0o644)
    t.make("group", b"group", 0o660)
    os.chown(t.path("group"), 0, SUPPLEMENTARY)
    os.mkdir(t.path("closed"), 0o700)
    os.mkdir(t.path("listable"), 0o744)
    t.make("listable/file")
    become(OTHER, OTHER)
    for name in ("private", "readable", "group"):
        t.open(f"read {name}", name, os.O_RDONLY)
        t.open(f"write {name}", name, os.O_WRONLY)
        t.open(f"truncate {name}", name, os.O_WRONLY | os.O_TRUNC)
        t.call(f"truncate {name} by name", os.truncate, t.path(name), 1)
        t.call(f"chmod {name}", os.chmod, t.path(name), 0o777)
        t.call(f"chown {name}", os.chown, t.path(name), OTHER, OTHER)
        t.call(f"utime {name}", os.utime, t.path(name), (1, 1))
        t.call(f"utime now {name}", os.utime, t.path(name))
        t.call(f"unlink {name}", os.unlink, t.path(name))
        t.call(f"rename {name}", os.rename, t.path(name), t.path("x"))
        for label, mode in (("R", os.R_OK), ("W", os.W_OK), ("X", os.X_OK)):
            t.call(f"access {label} {name}", os.access, t.path(name), mode)
    t.open("create", "new", os.O_CREAT | os.O_WRONLY)
    t.call("mkdir", os.mkdir, t.path("new"))
    t.call("list closed", os.listdir, t.path("closed"))
    t.call("stat in closed", os.stat, t.path("closed/x"))
    t.call("list listable", os.listdir, t.path("listable"))
    t.call("stat in listable", os.stat, t.path("listable/file"))
    t.call("link", os.link, t.path("readable"), t.path("link"))


@case
def supplementary_groups(t):
    t.make("file", b"group", 0o660)
    os.chown(t.path("file"), 0, SUPPLEMENTARY)
    os.mkdir(t.path("d"))
    os.chown(t.path("d"), 0, SUPPLEMENTARY)
    os.chmod(t.path("d"), 0o770)
    become(OTHER, OTHER, [SUPPLEMENTARY])
    descriptor = t.open("write", "file", os.O_RDWR)
    t.call("really", os.write, descriptor, b"by group")
    t.open("create", "d/file", os.O_CREAT | os.O_WRONLY)
    t.facts("facts", "d/file")
    t.call("mkdir", os.mkdir, t.path("d/sub"))
    t.open("own file", "d/own", os.O_CREAT | os.O_WRONLY, 0o640)
    t.call("chgrp to a group of mine", os.chown, t.path("d/own"), -1, SUPPLEMENTARY)
    t.call("chgrp to a strange group", os.chown, t.path("d/own"), -1, 77)
    t.call("set-gid for a group of mine", os.chmod, t.path("d/own"), 0o2755)
    t.facts("facts", "d/own")


@case
def many_supplementary_groups(t):
    t.make("file", b"group", 0o660)
    os.chown(t.path("file"), 0, 5099)
    become(OTHER, OTHER, range(5000, 5100))
    t.open("the last of a hundred groups", "file", os.O_RDWR)


@case
def chmod_drops_foreign_setgid(t):
    open_up(t)
    t.make("file")
    os.chown(t.path("file"), OWNER, 77)
    become(OWNER, GROUP)
    t.call("chmod g+s, not in the group", os.chmod, t.path("file"), 0o2755)
    t.facts("facts", "file")


@case
def setgid_directory(t):
    os.mkdir(t.path("d"))
    os.chown(t.path("d"), 0, SUPPLEMENTARY)
    os.chmod(t.path("d"), 0o2777)
    become(OWNER, GROUP)
    t.open("create", "d/file", os.O_CREAT | os.O_WRONLY, 0o644)
    t.open("create with set-gid", "d/setgid", os.O_CREAT | os.O_WRONLY, 0o2755)
    t.call("mkdir", os.mkdir, t.path("d/sub"), 0o755)
    t.call("mkdir below", os.mkdir, t.path("d/sub/sub"), 0o755)
    t.call("symlink", os.symlink, "x", t.path("d/link"))
    t.call("mkfifo", os.mkfifo, t.path("d/fifo"))
    for name in ("file", "setgid", "sub", "sub/sub", "link", "fifo"):
        t.facts(name, f"d/{name}")


@case
def sticky_directory(t):
    os.mkdir(t.path("d"))
    os.chmod(t.path("d"), 0o1777)
    t.make("d/root", b"")
    os.mkdir(t.path("d/rootdir"))
    t.make("d/mine")
    os.chown(t.path("d/mine"), OTHER, OTHER)
    become(OTHER, OTHER)
    t.call("unlink another's", os.unlink, t.path("d/root"))
    t.call("rmdir another's", os.rmdir, t.path("d/rootdir"))
    t.call("rename another's", os.rename, t.path("d/root"), t.path("d/x"))
    t.call("rename mine over another's", os.rename, t.path("d/mine"), t.path("d/root"))
    t.call("rename mine", os.rename, t.path("d/mine"), t.path("d/still-mine"))
    t.call("unlink mine", os.unlink, t.path("d/still-mine"))


def setid_after(t, label, change, uid):
    """The mode of a set-id file after a change made by the user."""
    name = label.replace(" ", "-")
    t.make(name, b"program" * 100)
    os.chmod(t.path(name), 0o6777)
    child = os.fork()
    if child == 0:
        if uid:
            become(uid, uid)
        try:
            change(t.path(name))
        except OSError:
            os._exit(1)
        os._exit(0)
    t.see(f"{label}: done", os.waitpid(child, 0)[1])
    t.facts(label, name)


@case
def setid_cleared_by_writing(t):
    open_up(t)

    def write(path):
        descriptor = os.open(path, os.O_WRONLY)
        os.pwrite(descriptor, b"x", 0)
        os.close(descriptor)

    def truncate_open(path):
        os.close(os.open(path, os.O_WRONLY | os.O_TRUNC))

    setid_after(t, "write as another", write, OTHER)
    setid_after(t, "truncate as another", lambda path: os.truncate(path, 3), OTHER)
    setid_after(t, "O_TRUNC as another", truncate_open, OTHER)
    setid_after(t, "write as root", write, 0)
    setid_after(t, "truncate as root", lambda path: os.truncate(path, 3), 0)


@case
def setgid_without_group_execute(t):
    """Set-gid without group execute once meant mandatory locking: writing leaves it.

    By a member of the group. For others, kernels from 6.2 on clear it, and FUSE's does not.
    """
    open_up(t)
    t.make("file", b"content")
    os.chown(t.path("file"), OWNER, GROUP)
    os.chmod(t.path("file"), 0o2766)
    become(OTHER, OTHER, [GROUP])
    descriptor = t.open("open", "file", os.O_WRONLY)
    t.call("write", os.write, descriptor, b"x")
    t.facts("facts", "file")


@case
def descriptor_outlives_permission(t):
    open_up(t)
    t.make("file", b"content", 0o666)
    os.chmod(t.path("file"), 0o666)
    become(OTHER, OTHER)
    descriptor = t.open("open", "file", os.O_RDWR)
    os.unlink(t.path("file"))
    t.call("read", os.pread, descriptor, 20, 0)
    t.call("write", os.pwrite, descriptor, b"new", 0)


@case
def creator_may_write_what_it_made_readonly(t):
    open_up(t)
    become(OWNER, GROUP)
    descriptor = t.open("create 0400 for writing", "file", os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o400)
    t.call("write", os.write, descriptor, b"content")
    t.call("pread", os.pread, descriptor, 20, 0)
    t.call("fsync", os.fsync, descriptor)
    t.call("ftruncate", os.ftruncate, descriptor, 3)
    t.open("open again for writing", "file", os.O_WRONLY)
    zero = t.open("create 0000", "none", os.O_CREAT | os.O_RDWR, 0)
    t.call("write", os.write, zero, b"x")
    t.open("open again", "none", os.O_RDONLY)


@case
def handles_of_different_rights(t):
    """A reader may not write because somebody else's handle on the same file can."""
    t.make("file", b"content", 0o644)
    writer = os.open(t.path("file"), os.O_RDWR)
    become(OTHER, OTHER)
    reader = t.open("open for reading", "file", os.O_RDONLY)
    t.call("write by the reader", os.write, reader, b"x")
    t.call("ftruncate by the reader", os.ftruncate, reader, 0)
    t.call("write by the writer", os.pwrite, writer, b"W", 0)
    t.call("seen by the reader", os.pread, reader, 7, 0)


@case
def search_permission(t):
    os.makedirs(t.path("a/b"))
    t.make("a/b/file", b"x")
    os.chmod(t.path("a"), 0o711)
    become(OTHER, OTHER)
    t.call("list", os.listdir, t.path("a"))
    t.call("stat beyond", lambda: os.stat(t.path("a/b/file")).st_size)
