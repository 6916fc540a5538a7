"""What one writer's directory must contain, and what it may contain after a crash."""

import os
from collections import namedtuple

from blocks import data, describe

PAGE_BYTES = 4096
REQUEST_BYTES = 32 * PAGE_BYTES
SHARED_NAME = "shared"
SHARED_FILE = 900000000
SHARED_PAGES = 256
SYNCED = ("dsync", "sync", "mapped")  # ways to write that are durable once acknowledged

Sizes = namedtuple("Sizes", "lowest highest")


class WrongData(Exception):
    pass


class FileModel:
    """Content of a file, and for each unit what it was at any time since the last sync.

    A unit is what a crash may leave old or new, but never mixed: a page, or in writeback a block, whose
    changes come back in their order up to some point.
    """

    def __init__(self, number):
        self.number = number
        self.content = bytearray()
        self.unit_bytes = PAGE_BYTES
        self.sync()

    def sync(self):
        """Nothing older than now may come back."""
        self.older = {}
        self.mapped = set()
        self.sizes = [Sizes(len(self.content), len(self.content))]

    def write(self, offset, new):
        end = offset + len(new)
        before = len(self.content)
        self.remember(min(offset, before), end)
        if before < offset:
            self.content.extend(bytes(offset - before))
        self.content[offset:end] = new
        # A write that grows the file and is cut short grows it by a part.
        self.sizes.append(Sizes(min(before, len(self.content)), len(self.content)))

    def write_mapped(self, offset, new):
        """The kernel writes pages of a memory map in an order of its own."""
        self.write(offset, new)
        self.mapped.update(range(offset // self.unit_bytes, -(-(offset + len(new)) // self.unit_bytes)))

    def truncate(self, size):
        before = len(self.content)
        self.remember(min(size, before), max(size, before))
        if size < before:
            del self.content[size:]
        else:
            self.content.extend(bytes(size - before))
        self.sizes.append(Sizes(size, size))

    def clear(self, offset, length):
        end = min(offset + length, len(self.content))
        if offset < end:
            self.remember(offset, end)
            self.content[offset:end] = bytes(end - offset)

    def remember(self, start, end):
        for unit in range(start // self.unit_bytes, -(-end // self.unit_bytes)):
            self.older.setdefault(unit, []).append(self.unit(self.content, unit))

    def unit(self, content, unit):
        return bytes(content[unit * self.unit_bytes : (unit + 1) * self.unit_bytes])

    def fault(self, actual):
        """What is wrong with the file's content after a crash, or None."""
        if not any(sizes.lowest <= len(actual) <= sizes.highest for sizes in self.sizes):
            return f"size {len(actual)} is none of {self.sizes}"
        for unit in range(-(-len(actual) // self.unit_bytes)):
            piece = self.unit(actual, unit)
            allowed = [*self.older.get(unit, []), self.unit(self.content, unit)]
            if not is_one_of(piece, allowed, PAGE_BYTES if unit in self.mapped else self.unit_bytes):
                return self.describe_fault(unit, piece, allowed)
        return None

    def describe_fault(self, unit, piece, allowed):
        lines = [f"bytes {unit * self.unit_bytes:#x} to {unit * self.unit_bytes + len(piece):#x} are none of the "
                 f"{len(allowed)} states since the last sync", f"found:   {describe(piece)}"]
        lines += [f"allowed: {describe(state)}" for state in allowed[-6:]]
        return "\n".join(lines)

    def adopt(self, actual):
        self.content = bytearray(actual)
        self.sync()


class SharedModel(FileModel):
    """A writer's own pages of the file that all of them write to at once: every so many-th."""

    def __init__(self, number, first, stride):
        super().__init__(number)
        self.pages = range(first, SHARED_PAGES, stride)
        self.adopt(bytes(SHARED_PAGES * PAGE_BYTES))

    def fault(self, actual):
        if len(actual) != len(self.content):
            return f"size {len(actual)} instead of {len(self.content)}"
        for page in self.pages:
            piece = self.unit(actual, page)
            allowed = [*self.older.get(page, []), self.unit(self.content, page)]
            if piece not in allowed:
                return self.describe_fault(page, piece, allowed)
        return None


class Model:
    """One writer's directory: names, files, and the operation that a crash cut short."""

    def __init__(self, writer, writers=0):
        """writers: how many share the file `shared` beside the directories; 0: there is none"""
        self.writer = writer
        self.shared = SharedModel(SHARED_FILE + writer, writer, writers) if writers else None
        self.names = {}
        self.files = {}
        self.next_file = writer * 1000000 + 1
        self.next_version = 1
        self.unit_bytes = PAGE_BYTES
        self.forgetful = False
        self.names_before = None

    def begin_round(self, unit_bytes, forgetful):
        """forgetful: what was acknowledged but not synced may be lost (writeback)."""
        self.unit_bytes = unit_bytes
        self.forgetful = forgetful
        self.names_before = None
        for file in self.files.values():
            file.unit_bytes = unit_bytes
            file.sync()
        if self.shared:
            self.shared.sync()

    def apply(self, operation):
        """The state after an operation that is done or, when acknowledge does not follow, under way."""
        self.names_before = dict(self.names)
        getattr(self, "do_" + operation["op"])(operation)

    def acknowledge(self, operation):
        self.names_before = None
        file = self.file_of(operation)
        if file and (not self.forgetful or operation["op"] == "sync" or operation.get("how") in SYNCED):
            file.sync()
        self.forget_files_without_name()

    def file_of(self, operation):
        number = operation.get("file")
        if self.shared and number == self.shared.number:
            return self.shared
        return self.files.get(number)

    def forget_files_without_name(self):
        for number in set(self.files) - set(self.names.values()):
            del self.files[number]

    def do_create(self, operation):
        number = operation["file"]
        self.next_file = number + 1
        file = FileModel(number)
        file.unit_bytes = self.unit_bytes
        self.files[number] = file
        self.names[operation["name"]] = number

    def do_write(self, operation):
        self.next_version = operation["version"] + 1
        number, offset = operation["file"], operation["offset"]
        content = data(number, operation["version"], offset, operation["length"])
        if operation["how"] == "mapped":
            self.files[number].write_mapped(offset, content)
            return
        for start, end in requests(offset, len(content)):
            self.file_of(operation).write(offset + start, content[start:end])

    def do_truncate(self, operation):
        self.files[operation["file"]].truncate(operation["size"])

    def do_clear(self, operation):
        self.files[operation["file"]].clear(operation["offset"], operation["length"])

    def do_sync(self, operation):
        """Only its acknowledgement changes something."""

    def do_link(self, operation):
        self.names[operation["name"]] = operation["file"]

    def do_rename(self, operation):
        self.names[operation["to"]] = self.names.pop(operation["name"])

    def do_unlink(self, operation):
        del self.names[operation["name"]]

    def settle(self, directory, adopt=True):
        """Raises when the directory is none of what a crash may leave; adopt: from now on it must stay so."""
        found = sorted(os.listdir(directory))
        if found == sorted(self.names):
            names = self.names
        elif self.names_before is not None and found == sorted(self.names_before):
            names = self.names_before
        else:
            raise WrongData(f"writer {self.writer}: names are {found} instead of {sorted(self.names)}"
                            + (f" or {sorted(self.names_before)}" if self.names_before is not None else ""))
        check_links(directory, names)
        self.settle_shared(os.path.join(os.path.dirname(directory), SHARED_NAME), adopt)
        contents = {name: whole(os.path.join(directory, name)) for name in names}
        for name, number in names.items():
            fault = self.files[number].fault(contents[name])
            if fault:
                raise WrongData(f"writer {self.writer}, {name} (file {number}): {fault}")
        if adopt:
            self.names = dict(names)
            for name, number in names.items():
                self.files[number].adopt(contents[name])
            self.names_before = None
            self.forget_files_without_name()

    def settle_shared(self, path, adopt):
        if self.shared:
            actual = whole(path)
            fault = self.shared.fault(actual)
            if fault:
                raise WrongData(f"writer {self.writer}, the shared file (file {self.shared.number}): {fault}")
            if adopt:
                self.shared.adopt(actual)


def is_one_of(content, states, step):
    """Whether each piece of `step` bytes is that of one of the states; what a state lacks is zeros."""
    for start in range(0, len(content), step):
        piece = content[start : start + step]
        if not any(piece == state[start : start + len(piece)].ljust(len(piece), b"\0") for state in states):
            return False
    return True


def requests(offset, length):
    """The parts, from byte to byte of it, in which the kernel may pass a write on to the mount.

    32 pages at most, counted from the first page; or, when that is written in part and not in the kernel's
    memory, that alone and then 32 pages at most. Both ways are cut here, as nobody knows which one it was.
    """
    first = offset // PAGE_BYTES * PAGE_BYTES
    second = -(-offset // PAGE_BYTES) * PAGE_BYTES
    end = offset + length
    cuts = {second, *range(first, end, REQUEST_BYTES), *range(second, end, REQUEST_BYTES)}
    ends = [*sorted(cut for cut in cuts if offset < cut < end), end]
    start = offset
    for cut in ends:
        yield start - offset, cut - offset
        start = cut


def check_links(directory, names):
    """Names of one file share an inode that counts them; other names do not."""
    inodes = {}
    for name, number in names.items():
        status = os.stat(os.path.join(directory, name))
        count = sum(other == number for other in names.values())
        if status.st_nlink != count:
            raise WrongData(f"{directory}/{name} has {status.st_nlink} links instead of {count}")
        if inodes.setdefault(number, status.st_ino) != status.st_ino:
            raise WrongData(f"{directory}/{name} is not the file that its other names are")
    if len(set(inodes.values())) != len(inodes):
        raise WrongData(f"{directory}: two files have one inode number: {inodes}")


def whole(path):
    with open(path, "rb") as source:
        return source.read()
