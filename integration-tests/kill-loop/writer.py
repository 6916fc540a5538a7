"""The writer: one process, one directory of the mount, random operations, each logged before and after."""

import errno
import json
import mmap
import os
import random
import signal
import struct
import sys
import traceback

from blocks import data, describe
from model import PAGE_BYTES, SHARED_NAME, WrongData

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "parity"))
from system import (FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE, FALLOC_FL_ZERO_RANGE, direct_read,  # noqa: E402
                    direct_write, fallocate, read_fully)

FILE_LIMIT_BYTES = 1536 << 10
FILE_COUNT = 5
NAMES = [f"name{index}" for index in range(10)]
SMALL_BYTES = (1, 100, 511, 512, 4095, 4097, 10000, 20000, 60000)
DEATH = (errno.ENOTCONN, errno.ECONNABORTED, errno.EIO)
COUNTER = struct.Struct("<Q")
STOPPED, DIED, WRONG = 0, 1, 2


class Writer:
    """Works on a copy of the model, in a forked process; the parent repeats the log on its own."""

    def __init__(self, model, directory, log, seed, write_sizes, shared, slot):
        self.model = model
        self.directory = directory
        self.log = log
        self.random = random.Random(seed)
        self.write_sizes = write_sizes
        self.shared = shared
        self.slot = slot
        self.open_files = {}
        self.done = 0
        self.kinds = [(self.write, 40), (self.read, 14), (self.sync, 10), (self.append, 8), (self.map, 3), (self.truncate, 4),
                      (self.clear, 5), (self.create, 4), (self.rename, 4), (self.link, 3), (self.unlink, 3),
                      (self.sync_directory, 1), (self.share, 15)]

    def run(self):
        """Until the stop byte is set or the daemon is dead; returns the process's exit code."""
        try:
            while not self.shared[0]:
                kinds, weights = zip(*self.kinds)
                self.random.choices(kinds, weights)[0]()
                self.done += 1
                COUNTER.pack_into(self.shared, 8 + 8 * self.slot, self.done)
            for descriptor in self.open_files.values():
                os.close(descriptor)
            return STOPPED
        except OSError as failure:
            if failure.errno in DEATH:
                self.note("death", str(failure))
                return DIED
            self.note("wrong", traceback.format_exc())
        except Exception:
            self.note("wrong", traceback.format_exc())
        return WRONG

    def note(self, kind, value):
        os.write(self.log, json.dumps({kind: value}).encode() + b"\n")

    def change(self, operation, action):
        """Logged, done, logged as acknowledged: what the log ends with may or may not have happened."""
        self.note("begin", operation)
        action()
        self.note("done", self.done)
        self.model.apply(operation)
        self.model.acknowledge(operation)

    # --- which file ------------------------------------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.directory, name)

    def pick(self):
        """A name and its file; makes the first files."""
        if not self.model.names:
            self.create()
        name = self.random.choice(sorted(self.model.names))
        return name, self.model.files[self.model.names[name]]

    def descriptor(self, name, file):
        """Kept open, as a database does, whatever happens to the name."""
        if file.number not in self.open_files:
            self.open_files[file.number] = os.open(self.path(name), os.O_RDWR)
        return self.open_files[file.number]

    def with_file(self, name, flags, action):
        descriptor = os.open(self.path(name), flags)
        try:
            action(descriptor)
        finally:
            os.close(descriptor)

    # --- content ---------------------------------------------------------------------------------------------

    def write(self):
        name, file = self.pick()
        length = self.random.choice(self.write_sizes)
        alignment = self.random.choice((length, length, PAGE_BYTES, 512))
        how = self.random.choices(("plain", "dsync", "sync", "direct"), (60, 15, 5, 20))[0]
        if self.random.random() < 0.15:
            length, alignment, how = self.random.choice(SMALL_BYTES), 1, "plain"
        elif how == "direct":
            alignment = max(alignment, PAGE_BYTES)
        limit = min(len(file.content) + PAGE_BYTES, FILE_LIMIT_BYTES - length)
        offset = self.random.randrange(max(limit, 1)) // alignment * alignment
        self.write_at(name, file, offset, length, how)
        if how == "plain" and self.random.random() < 0.25:
            self.sync_file(name, file)

    def append(self):
        name, file = self.pick()
        length = self.random.choice((*SMALL_BYTES, *self.write_sizes))
        if len(file.content) + length <= FILE_LIMIT_BYTES:
            self.write_at(name, file, len(file.content), length, "append")

    def write_at(self, name, file, offset, length, how):
        operation = {"op": "write", "file": file.number, "version": self.model.next_version, "offset": offset,
                     "length": length, "how": how}
        content = data(file.number, operation["version"], offset, length)
        flags = {"dsync": os.O_DSYNC, "sync": os.O_SYNC, "append": os.O_APPEND, "direct": os.O_DIRECT}
        if how == "plain":
            self.change(operation, lambda: write_all(self.descriptor(name, file), content, offset))
        else:
            method = direct_write if how == "direct" else write_all
            self.change(operation, lambda: self.with_file(
                name, os.O_RDWR | flags[how], lambda descriptor: method(descriptor, content, offset)))

    def map(self):
        """A write to a shared memory map, then msync."""
        name, file = self.pick()
        length = self.random.choice((*SMALL_BYTES, *self.write_sizes))
        if len(file.content) >= length:
            offset = self.random.randrange(len(file.content) - length + 1)
            operation = {"op": "write", "file": file.number, "version": self.model.next_version, "offset": offset,
                         "length": length, "how": "mapped"}
            content = data(file.number, operation["version"], offset, length)
            self.change(operation, lambda: in_child(lambda: write_mapped(self.path(name), content, offset)))

    def truncate(self):
        name, file = self.pick()
        size = self.random.choice((0, self.random.randrange(FILE_LIMIT_BYTES), len(file.content) // 2))
        self.change({"op": "truncate", "file": file.number, "size": size},
                    lambda: os.ftruncate(self.descriptor(name, file), size))

    def clear(self):
        name, file = self.pick()
        length = self.random.choice((*SMALL_BYTES, *self.write_sizes))
        offset = self.random.randrange(max(1, len(file.content)))
        if self.random.random() < 0.5:
            offset = offset // PAGE_BYTES * PAGE_BYTES
        kind = self.random.choice((FALLOC_FL_PUNCH_HOLE, FALLOC_FL_ZERO_RANGE)) | FALLOC_FL_KEEP_SIZE
        self.change({"op": "clear", "file": file.number, "offset": offset, "length": length, "kind": kind},
                    lambda: fallocate(self.descriptor(name, file), kind, offset, length))

    def share(self):
        """Some own pages of the file that all write to: neighbours of other writers' pages, in the same blocks."""
        file = self.model.shared
        path = os.path.join(os.path.dirname(self.directory), SHARED_NAME)
        how = self.random.choices(("plain", "dsync", "direct"), (5, 3, 2))[0]
        flags = {"plain": 0, "dsync": os.O_DSYNC, "direct": os.O_DIRECT}[how]
        descriptor = os.open(path, os.O_RDWR | flags)
        try:
            for _ in range(self.random.randrange(1, 6)):
                offset = self.random.choice(file.pages) * PAGE_BYTES
                operation = {"op": "write", "file": file.number, "version": self.model.next_version, "offset": offset,
                             "length": PAGE_BYTES, "how": how}
                content = data(file.number, operation["version"], offset, PAGE_BYTES)
                method = direct_write if how == "direct" else write_all
                self.change(operation, lambda: method(descriptor, content, offset))  # noqa: B023
            if self.random.random() < 0.6:
                self.change({"op": "sync", "file": file.number, "how": "fdatasync"}, lambda: os.fdatasync(descriptor))
            offset = self.random.choice(file.pages) * PAGE_BYTES
            self.expect(SHARED_NAME, file, offset, PAGE_BYTES, direct_read(descriptor, PAGE_BYTES, offset))
        finally:
            os.close(descriptor)

    def sync(self):
        self.sync_file(*self.pick())

    def sync_file(self, name, file):
        how = self.random.choice((os.fsync, os.fdatasync))
        self.change({"op": "sync", "file": file.number, "how": how.__name__},
                    lambda: how(self.descriptor(name, file)))

    def read(self):
        name, file = self.pick()
        length = self.random.choice((*SMALL_BYTES, *self.write_sizes))
        offset = self.random.randrange(max(1, len(file.content)))
        if self.random.random() < 0.5:
            actual = []
            offset, length = offset // PAGE_BYTES * PAGE_BYTES, -(-length // PAGE_BYTES) * PAGE_BYTES
            self.with_file(name, os.O_RDONLY | os.O_DIRECT,
                           lambda descriptor: actual.append(direct_read(descriptor, length, offset)))
            self.expect(name, file, offset, length, actual[0])
        else:
            descriptor = self.descriptor(name, file)
            if self.random.random() < 0.7:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            self.expect(name, file, offset, length, read_fully(descriptor, length, offset))

    def expect(self, name, file, offset, length, actual):
        expected = bytes(file.content[offset : offset + length])
        if actual != expected:
            raise WrongData(f"{name} (file {file.number}), {length} bytes at {offset:#x} read as {describe(actual)}\n"
                            f"instead of {describe(expected)}")

    # --- names -------------------------------------------------------------------------------------------------

    def free_name(self):
        names = [name for name in NAMES if name not in self.model.names]
        return self.random.choice(names) if names else None

    def create(self):
        name = self.free_name()
        if name is None or len(self.model.files) >= FILE_COUNT:
            return
        self.change({"op": "create", "file": self.model.next_file, "name": name}, lambda: self.with_file(
            name, os.O_RDWR | os.O_CREAT | os.O_EXCL, lambda descriptor: None))

    def rename(self):
        """To a free name, or over another file."""
        name, file = self.pick()
        others = [other for other in NAMES if self.model.names.get(other) != file.number]
        if others:
            self.rename_to(name, self.random.choice(others))

    def rename_to(self, name, target):
        victim = self.model.names.get(target)
        self.change({"op": "rename", "name": name, "to": target},
                    lambda: os.rename(self.path(name), self.path(target)))
        self.let_go(victim)

    def link(self):
        name, file = self.pick()
        target = self.free_name()
        if target is not None:
            self.change({"op": "link", "file": file.number, "name": target},
                        lambda: os.link(self.path(name), self.path(target)))

    def unlink(self):
        name, file = self.pick()
        expected = bytes(file.content[:PAGE_BYTES])
        self.change({"op": "unlink", "name": name}, lambda: os.unlink(self.path(name)))
        if file.number in self.open_files and file.number not in self.model.files:
            self.use_without_name(file.number, expected)
        self.let_go(file.number)

    def use_without_name(self, number, expected):
        descriptor = self.open_files[number]
        if read_fully(descriptor, PAGE_BYTES, 0) != expected:
            raise WrongData(f"file {number}, open and unlinked, has other bytes than before")
        content = data(number, 0, 0, 2 * PAGE_BYTES)
        os.pwrite(descriptor, content, 0)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        if read_fully(descriptor, len(content), 0) != content:
            raise WrongData(f"file {number}, open and unlinked, does not hold what was written")

    def let_go(self, number):
        """Closes a file that has no name any more."""
        if number in self.open_files and number not in self.model.files:
            os.close(self.open_files.pop(number))

    def sync_directory(self):
        descriptor = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_all(descriptor, content, offset):
    view = memoryview(content)
    while view:
        count = os.pwrite(descriptor, view, offset)
        view = view[count:]
        offset += count


def write_mapped(path, content, offset):
    with open(path, "r+b") as opened, mmap.mmap(opened.fileno(), 0) as memory:
        memory[offset : offset + len(content)] = content
        memory.flush()


def in_child(action):
    """A page fault that nobody answers ends a process: one made for that, so that this one may tell."""
    pid = os.fork()
    if pid == 0:
        try:
            action()
            os._exit(0)
        except OSError as failure:
            os._exit(failure.errno)
        finally:
            os._exit(255)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == -signal.SIGBUS:
        raise OSError(errno.ENOTCONN, "SIGBUS in a memory map")
    if code == 255 or code < 0:
        raise RuntimeError(f"the process of a memory map ended with {code}")
    if code:
        raise OSError(code, os.strerror(code))
