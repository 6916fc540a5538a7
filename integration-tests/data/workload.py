"""A random program over a few files of its own, checked against byte arrays and a plain directory."""

import mmap
import os
import random
import sys

from model import InFlight, first_difference

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "parity"))
from system import (FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE, FALLOC_FL_ZERO_RANGE, PAGE_BYTES,  # noqa: E402
                    direct_read, direct_write, fallocate, read_fully)

SIZE_LIMIT_BYTES = 3 << 20
LENGTHS = (1, 100, 511, 512, 4095, 4096, 4097, 8192, 16384, 20000, 65536, 131072, 200000)


class WrongData(Exception):
    pass


class Workload:
    """One worker's files; no other worker touches them, so that every read has one right answer."""

    def __init__(self, worker, seed, mount, plain, file_count):
        self.random = random.Random(f"{seed}/{worker}")
        self.mount = mount
        self.plain = plain
        self.names = [f"worker{worker}-file{index}" for index in range(file_count)]
        self.contents = {name: bytearray() for name in self.names}
        self.in_flight = None
        self.operations = 0
        self.kinds = [(self.write, 30), (self.read, 30), (self.direct_write, 8), (self.direct_read, 8),
                      (self.mapped_write, 5), (self.truncate, 5), (self.punch, 4), (self.zero, 3), (self.append, 4),
                      (self.sync, 4), (self.replace, 2), (self.recreate, 2)]

    def avoid_mappings(self):
        """Before the daemon is killed: a page fault that nobody answers ends the whole process (SIGBUS)."""
        self.kinds = [(kind, weight) for kind, weight in self.kinds if kind != self.mapped_write]

    def create_files(self):
        for name in self.names:
            data = self.random.randbytes(SIZE_LIMIT_BYTES // 2)
            for directory in (self.mount, self.plain):
                with open(os.path.join(directory, name), "wb") as target:
                    target.write(data)
            self.contents[name] = bytearray(data)

    def step(self):
        """One random operation. OSError: the daemon is gone and in_flight says what was under way."""
        operation = self.random.choices([kind for kind, _ in self.kinds], [weight for _, weight in self.kinds])[0]
        operation(self.random.choice(self.names))
        self.operations += 1

    # --- changes: first on the mount, then on the model and the plain file ---------------------------------

    def change(self, name, after, action, anew=False):
        """action(path) makes the file's content `after`, on whichever directory."""
        self.in_flight = InFlight(name, self.contents[name], after, anew)
        action(os.path.join(self.mount, name))
        self.in_flight = None
        self.contents[name] = after
        action(os.path.join(self.plain, name))

    def write(self, name):
        data = self.random.randbytes(self.random.choice(LENGTHS))
        self.write_at(name, self.offset(name, len(data)), data, os.O_RDWR)

    def append(self, name):
        data = self.random.randbytes(self.random.choice(LENGTHS))
        offset = len(self.contents[name])
        if offset + len(data) <= SIZE_LIMIT_BYTES:
            self.write_at(name, offset, data, os.O_WRONLY | os.O_APPEND)

    def write_at(self, name, offset, data, flags):
        self.change(name, patched(self.contents[name], offset, data),
                    lambda path: with_file(path, flags, lambda descriptor: write_all(descriptor, data, offset)))

    def direct_write(self, name):
        pages = self.random.randrange(1, 20)
        offset = self.offset(name, pages * PAGE_BYTES) // PAGE_BYTES * PAGE_BYTES
        data = self.random.randbytes(pages * PAGE_BYTES)
        flags = os.O_RDWR | os.O_DIRECT | self.random.choice((0, os.O_DSYNC))
        self.change(name, patched(self.contents[name], offset, data),
                    lambda path: with_file(path, flags, lambda descriptor: direct_write(descriptor, data, offset)))

    def mapped_write(self, name):
        size = len(self.contents[name])
        if size < PAGE_BYTES:
            return
        offset = self.random.randrange(size - 1)
        data = self.random.randbytes(min(self.random.choice(LENGTHS), size - offset))

        def through_mapping(descriptor):
            with mmap.mmap(descriptor, size, mmap.MAP_SHARED) as memory:
                memory[offset : offset + len(data)] = data
                memory.flush()

        self.change(name, patched(self.contents[name], offset, data),
                    lambda path: with_file(path, os.O_RDWR, through_mapping))

    def truncate(self, name):
        size = self.random.randrange(SIZE_LIMIT_BYTES)
        after = self.contents[name][:size].ljust(size, b"\0")
        self.change(name, after, lambda path: os.truncate(path, size))

    def punch(self, name):
        self.clear(name, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE)

    def zero(self, name):
        self.clear(name, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE)

    def clear(self, name, mode):
        before = self.contents[name]
        length = self.random.choice(LENGTHS)
        offset = self.offset(name, length)
        inside = max(0, min(length, len(before) - offset))
        self.change(name, patched(before, offset, bytes(inside)) if inside else bytearray(before),
                    lambda path: with_file(path, os.O_RDWR,
                                           lambda descriptor: fallocate(descriptor, mode, offset, length)))

    def replace(self, name):
        """A new file is renamed over the old one, which stays open and must stay readable."""
        data = bytearray(self.random.randbytes(self.random.randrange(SIZE_LIMIT_BYTES // 2)))
        before = bytes(self.contents[name])

        def action(path):
            old = os.open(path, os.O_RDONLY)
            try:
                with open(path + ".new", "wb") as target:
                    target.write(data)
                    target.flush()
                    os.fsync(target.fileno())
                os.rename(path + ".new", path)
                expect(name, "old content after rename over", before[:5000], read_fully(old, 5000, 0))
            finally:
                os.close(old)

        self.change(name, data, action)

    def recreate(self, name):
        """Unlink and create: very likely the same inode number again."""
        data = bytearray(self.random.randbytes(self.random.choice(LENGTHS)))

        def action(path):
            if os.path.exists(path):
                os.unlink(path)
            with open(path, "wb") as target:
                target.write(data)

        self.change(name, data, action, anew=True)

    # --- reads -----------------------------------------------------------------------------------------------

    def read(self, name):
        length = self.random.choice(LENGTHS)
        offset = self.offset(name, length)
        forget = self.random.random() < 0.7

        def action(descriptor):
            if forget:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            return read_fully(descriptor, length, offset)

        self.expect_range(name, offset, length, with_file(os.path.join(self.mount, name), os.O_RDONLY, action))

    def direct_read(self, name):
        length = self.random.randrange(1, 40) * PAGE_BYTES
        offset = self.offset(name, length) // PAGE_BYTES * PAGE_BYTES
        self.expect_range(name, offset, length,
                          with_file(os.path.join(self.mount, name), os.O_RDONLY | os.O_DIRECT,
                                    lambda descriptor: direct_read(descriptor, length, offset)))

    def sync(self, name):
        with_file(os.path.join(self.mount, name), os.O_RDWR, self.random.choice((os.fsync, os.fdatasync)))

    def expect_range(self, name, offset, length, actual):
        expect(name, f"{length} bytes at {offset}", bytes(self.contents[name][offset : offset + length]), actual)

    def offset(self, name, length):
        return self.random.randrange(max(1, min(SIZE_LIMIT_BYTES - length, len(self.contents[name]) + PAGE_BYTES)))

    # --- whole files -------------------------------------------------------------------------------------------

    def settle(self, directory):
        """After a crash: the interrupted file may be old or new; what it is now becomes the model."""
        if self.in_flight is None:
            return
        name = self.in_flight.name
        path = os.path.join(directory, name)
        actual = whole(path) if os.path.exists(path) else None
        wrong = self.in_flight.allows(actual)
        if wrong:
            raise WrongData(f"{name}, interrupted by the crash: {wrong}")
        if actual is None:
            actual = b""
            with open(path, "wb"):
                pass
        self.contents[name] = bytearray(actual)
        for leftover in (os.path.join(directory, name + ".new"), os.path.join(self.plain, name + ".new")):
            if os.path.exists(leftover):
                os.unlink(leftover)
        with open(os.path.join(self.plain, name), "wb") as target:
            target.write(actual)
        self.in_flight = None

    def verify(self, directory, what):
        for name in self.names:
            expect(name, what, bytes(self.contents[name]), whole(os.path.join(directory, name)))


def expect(name, what, expected, actual):
    difference = first_difference(expected, actual)
    if difference:
        raise WrongData(f"{name}, {what}: {difference}")


def patched(content, offset, data):
    result = bytearray(content)
    if len(result) < offset:
        result.extend(bytes(offset - len(result)))
    result[offset : offset + len(data)] = data
    return result


def whole(path):
    with open(path, "rb") as source:
        os.posix_fadvise(source.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return source.read()


def with_file(path, flags, action):
    descriptor = os.open(path, flags)
    try:
        return action(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor, data, offset):
    view = memoryview(data)
    while view:
        count = os.pwrite(descriptor, view, offset)
        view = view[count:]
        offset += count
