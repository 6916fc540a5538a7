"""Names: long ones, odd bytes, rename, unlink, symlink."""

import os

from harness import case
from system import RENAME_EXCHANGE, RENAME_NOREPLACE, renameat2


@case
def long_names(t):
    t.make("n" * 255, b"content")
    t.content("255 bytes", "n" * 255)
    t.call("mkdir 255", os.mkdir, t.path("d" * 255))
    t.open("create 256", "n" * 256, os.O_CREAT | os.O_WRONLY)
    t.call("mkdir 256", os.mkdir, t.path("n" * 256))
    t.call("stat 256", os.stat, t.path("n" * 256))
    t.call("unlink 256", os.unlink, t.path("n" * 256))
    t.call("symlink 256", os.symlink, "x", t.path("n" * 256))
    t.call("rename to 256", os.rename, t.path("n" * 255), t.path("m" * 256))
    t.call("link to 256", os.link, t.path("n" * 255), t.path("m" * 256))
    t.call("mkfifo 256", os.mkfifo, t.path("n" * 256))
    t.call("rename 255 to 255", os.rename, t.path("n" * 255), t.path("m" * 255))


@case
def long_paths(t):
    os.chdir(t.directory)
    for _ in range(20):
        t.call("mkdir", os.mkdir, "p" * 250)
        os.chdir("p" * 250)
    deep = os.open("deep", os.O_CREAT | os.O_WRONLY)
    t.call("write deep", os.write, deep, b"deep")
    t.call("listing", os.listdir, ".")
    for _ in range(20):
        for name in os.listdir("."):
            if name == "deep":
                t.call("unlink deep", os.unlink, name)
        os.chdir("..")
        t.call("rmdir", os.rmdir, "p" * 250)


@case
def odd_names(t):
    odd = [b"\xff\xfe\x80", "näme".encode("latin-1"), "Ünïcödé 名前".encode(), b" leading and trailing ", b"new\nline",
           b"back\\slash", b"-rf", b"*?[a]", bytes(range(1, 47)), b"..x", b"...", b"\x7f\x01", b"%s%n", b"$HOME;`id`"]
    for name in odd:
        t.make(name, b"content of " + name)
        t.content(f"content of {name!r}", name)
        t.call(f"stat {name!r}", lambda path: os.stat(path).st_size, t.path(name))
    t.see("listing", sorted(os.listdir(os.fsencode(t.directory))))
    t.call("rename", os.rename, t.path(odd[0]), t.path(b"\xc3\x28"))
    t.call("mkdir", os.mkdir, t.path(b"\xf0\x28\x8c\xbc"))
    t.call("symlink", os.symlink, b"\xe9\xff", t.path(b"\xe9"))
    t.call("unlink", os.unlink, t.path(odd[1]))


@case
def fuse_like_names(t):
    """Names that a FUSE library uses for itself are ordinary names."""
    for name in (".fuse_hidden0000000100000001", ".fuse_hidden", ".ssdcache", ".Trash-0"):
        t.make(name, name.encode())
        t.content(name, name)
    t.see("listing", sorted(os.listdir(t.directory)))
    t.call("rename to", os.rename, t.path(".fuse_hidden"), t.path(".fuse_hidden000000020000000f"))


@case
def names_differ_in_case(t):
    t.make("name", b"lower")
    t.make("NAME", b"upper")
    t.content("lower", "name")
    t.content("upper", "NAME")


@case
def rename_file(t):
    t.make("a", b"A")
    os.mkdir(t.path("d"))
    inode = os.stat(t.path("a")).st_ino
    t.call("new name", os.rename, t.path("a"), t.path("b"))
    t.call("into a directory", os.rename, t.path("b"), t.path("d/c"))
    t.see("same inode", os.stat(t.path("d/c")).st_ino == inode)
    t.call("stat the old name", os.stat, t.path("a"))
    t.call("onto itself", os.rename, t.path("d/c"), t.path("d/c"))
    t.make("other", b"OTHER")
    t.call("over a file", os.rename, t.path("other"), t.path("d/c"))
    t.content("content", "d/c")
    t.call("missing source", os.rename, t.path("nothing"), t.path("x"))
    t.call("missing target directory", os.rename, t.path("d/c"), t.path("no/x"))
    t.call("file over directory", os.rename, t.path("d/c"), t.path("d"))


@case
def rename_times(t):
    t.make("a")
    os.mkdir(t.path("from"))
    os.mkdir(t.path("to"))
    os.rename(t.path("a"), t.path("from/a"))
    for name in ("from", "to", "from/a"):
        os.utime(t.path(name), (1000, 1000))
    os.rename(t.path("from/a"), t.path("to/a"))
    t.see("directories' mtime moved", [os.stat(t.path(name)).st_mtime > 2000 for name in ("from", "to")])
    t.see("file's mtime stays", os.stat(t.path("to/a")).st_mtime)


@case
def rename_directory(t):
    for name in ("a", "a/sub", "b", "full", "full/x"):
        os.mkdir(t.path(name))
    t.make("a/sub/file", b"deep")
    t.make("file")
    t.call("over an empty directory", os.rename, t.path("a"), t.path("b"))
    t.content("file inside", "b/sub/file")
    t.call("over a full directory", os.rename, t.path("b"), t.path("full"))
    t.call("over a file", os.rename, t.path("b"), t.path("file"))
    t.call("into itself", os.rename, t.path("b"), t.path("b/sub/c"))
    t.call("onto its parent", os.rename, t.path("b/sub"), t.path("b"))
    t.call("onto itself", os.rename, t.path("b"), t.path("b"))
    t.call("link counts", lambda: [os.stat(t.path(name)).st_nlink for name in ("b", "full", ".")])
    t.call("up", os.rename, t.path("b/sub"), t.path("up"))
    t.content("file inside, moved", "up/file")
    t.call("dot dot", lambda: os.stat(t.path("up/..")).st_ino == os.stat(t.path(".")).st_ino)


@case
def rename_flags(t):
    t.make("one", b"1")
    t.make("two", b"2")
    t.call("noreplace, taken", renameat2, t.path("one"), t.path("two"), RENAME_NOREPLACE)
    t.call("exchange", renameat2, t.path("one"), t.path("two"), RENAME_EXCHANGE)
    t.content("after exchange", "one")
    t.call("noreplace, free", renameat2, t.path("one"), t.path("three"), RENAME_NOREPLACE)
    t.call("free exists", os.path.exists, t.path("three"))
    # What the flags did or not is no part of the tree that is compared.
    for name in ("one", "two", "three"):
        if os.path.exists(t.path(name)):
            os.unlink(t.path(name))


@case
def unlink(t):
    t.make("file", b"x")
    os.mkdir(t.path("directory"))
    os.symlink("file", t.path("link"))
    t.call("link", os.unlink, t.path("link"))
    t.call("file", os.unlink, t.path("file"))
    t.call("again", os.unlink, t.path("file"))
    t.call("directory", os.unlink, t.path("directory"))
    t.call("stat", os.stat, t.path("file"))
    t.make("file", b"again")
    t.content("new file of the same name", "file")


@case
def symlinks(t):
    t.make("file", b"target")
    os.mkdir(t.path("directory"))
    for target in ("file", "nowhere", "/etc/hostname", "directory", "x" * 4095, ".", "../symlinks/file"):
        t.call("symlink", os.symlink, target, t.path("link-" + target[:5].replace("/", "_")))
    t.call("empty target", os.symlink, "", t.path("empty"))
    t.call("too long", os.symlink, "x" * 4096, t.path("long"))
    t.call("readlink", os.readlink, t.path("link-file"))
    t.call("readlink of a file", os.readlink, t.path("file"))
    t.content("dangling", "link-nowhe")
    t.facts("facts", "link-file")
    t.facts("followed", "link-file", follow=True)
    t.call("create through a link to a directory", t.make, "link-direc/new", b"new")
    t.call("chown of the link", os.chown, t.path("link-file"), 12, 34, follow_symlinks=False)
    t.facts("after chown", "link-file")
    t.facts("target after chown", "file")


@case
def symlink_loops(t):
    os.symlink("b", t.path("a"))
    os.symlink("a", t.path("b"))
    t.call("stat", os.stat, t.path("a"))
    t.open("open", "a", os.O_RDONLY)
    t.call("chdir", os.chdir, t.path("a"))
    os.symlink("self/x", t.path("self"))
    t.call("self", os.stat, t.path("self"))
